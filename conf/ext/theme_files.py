"""What the theme writes into each page, as files: no page then has a script or a style of its own, and a strict policy holds.

Left in the templates are `base.html`, which loads `theme.js`, and an empty `partials/_head_css_variables.html`.
"""

from pathlib import Path

VARIABLES = "  --color-code-background: {background};\n  --color-code-foreground: {foreground};\n{more}"
SHEET = """\
/* Colours of code and what conf.py sets of the theme, in light and dark. */
body {{
{light}}}
@media not print {{
  body[data-theme="dark"] {{
{dark}  }}
  @media (prefers-color-scheme: dark) {{
    body:not([data-theme="light"]) {{
{dark}    }}
  }}
}}
"""


def write_colours(app):
    if app.builder.name != "html" or app.config.html_theme != "furo":
        return
    import furo

    def variables(scheme, fallbacks):
        code = furo.get_pygments_style_colors(furo._KNOWN_STYLES_IN_USE[scheme], fallbacks=fallbacks)
        chosen = app.config.html_theme_options.get(f"{scheme}_css_variables", {})
        return VARIABLES.format(**code, more="".join(f"  --{name}: {value};\n" for name, value in chosen.items()))

    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    light = variables("light", {"foreground": "black", "background": "white"})
    dark = variables("dark", {"foreground": "white", "background": "black"})
    static.joinpath("theme.css").write_text(SHEET.format(light=light, dark=dark), encoding="utf-8")
    app.add_css_file("theme.css", priority=700)  # after the theme's own


def setup(app):
    app.connect("builder-inited", write_colours, priority=900)  # the theme has then chosen its styles
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
