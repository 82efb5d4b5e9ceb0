"""Tiny books whose mistakes must give exactly the right warning, at the right line, and never a traceback."""

MISTAKES = [  # (text, line in it, the whole warning)
    # The request, through the role: in a paragraph, in a list item, in a quote
    ("{value}`kv-byte @one`", 1, "value: unknown formula or catalogue entry 'kv-byte'; near: kv-bytes"),
    ("Some text\non three lines, of which\nthe last has {value}`kv-bytes @one`.", 3, "value: unknown case 'one'; known: none"),
    ("- a\n- b\n\n- c {value}`kv-bytes @one`", 4, "value: unknown case 'one'; known: none"),
    ("> Quoted\n> and {value}`kv-bytes @one`", 2, "value: unknown case 'one'; known: none"),
]
