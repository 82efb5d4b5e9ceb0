"""Small entries of the catalogue as TOML, for tests that damage them."""

SOURCE = 'source = "amdahl1967", at = "p. 1", read = 2026-12-01, kind = "paper", verified = true'
FIELDS = """model_type = "llama", hidden_size = 64, num_hidden_layers = 2, num_attention_heads = 4, num_key_value_heads = 2,
intermediate_size = 96, vocab_size = 100, max_position_embeddings = 512"""


def value(text, source=SOURCE):
    return f"{{ value = {text}, {source} }}"


def config(fields=FIELDS, source=SOURCE):
    return f"{{ fields = {{ {' '.join(fields.split())} }}, {source} }}"


MODEL = {"name": '"M"', "vendor": '"V"', "family": '"F"', "published_total": value("8"), "config": f"[{config()}]"}
DEVICE = {"name": '"D"', "vendor": '"V"', "family": '"F"', "capacity": value('"80 GB"'), "memory_bandwidth": value('"2 TB/s"')}
PEAK = {"input": '"bf16"', "accumulate": '"fp32"', "sparse": "false", "unit_kind": '"tensor"', "value": '"1 TFLOP/s"'} | {
    part.split(" = ")[0]: part.split(" = ")[1] for part in SOURCE.split(", ")
}
MEASURED = {"what": '"time"', "value": '"5 ms"', "source": '"amdahl1967"', "at": '"p. 1"', "read": "2026-12-01", "verified": "true"}


def entry(table, head='["x"]'):
    return head + "\n" + "".join(f"{name} = {text}\n" for name, text in table.items())
