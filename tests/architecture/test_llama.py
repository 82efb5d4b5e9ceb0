"""Llama and its relatives: totals that their publishers state, sums by hand, windows, and what is refused."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError, ConfigError


def config(model_type="llama", d=64, layers=3, heads=4, kv=2, ff=96, vocab=100, **fields):
    return {
        "model_type": model_type, "hidden_size": d, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv, "intermediate_size": ff, "vocab_size": vocab,
    } | fields  # fmt: skip


PUBLISHED = [  # parameters of the published safetensors
    ("llama-3-8b", config("llama", 4096, 32, 32, 8, 14336, 128256), 8_030_261_248),
    ("llama-3-70b", config("llama", 8192, 80, 64, 8, 28672, 128256), 70_553_706_496),
    ("llama-3.2-1b", config("llama", 2048, 16, 32, 8, 8192, 128256, head_dim=64, tie_word_embeddings=True), 1_235_814_400),
    ("mistral-7b", config("mistral", 4096, 32, 32, 8, 14336, 32000, sliding_window=4096), 7_241_732_096),
    ("mistral-nemo", config("mistral", 5120, 40, 32, 8, 14336, 131072, head_dim=128, sliding_window=None), 12_247_782_400),
    ("qwen2.5-0.5b", config("qwen2", 896, 24, 14, 2, 4864, 151936, tie_word_embeddings=True), 494_032_768),
    ("qwen2.5-7b", config("qwen2", 3584, 28, 28, 4, 18944, 152064), 7_615_616_512),
    ("qwen3-8b", config("qwen3", 4096, 36, 32, 8, 12288, 151936, head_dim=128), 8_190_735_360),
    ("qwen3-32b", config("qwen3", 5120, 64, 64, 8, 25600, 151936, head_dim=128), 32_762_123_264),
    ("phi-4", config("phi3", 5120, 40, 40, 10, 17920, 100352), 14_659_507_200),
    ("phi-3-mini", config("phi3", 3072, 32, 32, 32, 8192, 32064), 3_821_079_552),
    ("olmo-2-7b", config("olmo2", 4096, 32, 32, 32, 11008, 100352), 7_298_617_344),
]


@pytest.mark.parametrize(("name", "given", "total"), PUBLISHED, ids=[p[0] for p in PUBLISHED])
def test_published_totals(name, given, total):
    assert architecture.load(given).ledger().parameters == total


def test_one_layer_by_hand():
    """Llama 3 8B: 4,096 wide, 32 query heads of 128, 8 for keys and values, MLP 14,336 wide."""
    attention = 4096 * 4096 + 2 * 4096 * 1024 + 4096 * 4096
    mlp = 3 * 4096 * 14336
    model = architecture.load(PUBLISHED[0][1])
    per_layer = {}
    for row in model.rows():
        if row.indices:
            per_layer[row.part] = per_layer.get(row.part, 0) + row.one
    assert per_layer == {"norm": 2 * 4096, "attention": attention, "mlp": mlp}
    assert model.ledger().parameters == 32 * (attention + mlp + 8192) + 2 * 128256 * 4096 + 4096


# Totals of models of the same configs built by transformers 5.24.0; what a layer adds beside the plain matrices stands behind
PLAIN = 64 * 64 + 2 * 64 * 32 + 64 * 64 + 3 * 64 * 96  # q, k, v, o and a gated MLP
TABLES = 2 * 100 * 64
LAYERS = [
    ("llama", {}, 3 * (PLAIN + 2 * 64) + TABLES + 64),
    ("llama", {"attention_bias": True, "mlp_bias": True}, 3 * (PLAIN + 128 + 64 + 32 + 32 + 64 + 96 + 96 + 64) + TABLES + 64),
    ("qwen2", {}, 3 * (PLAIN + 128 + 64 + 32 + 32) + TABLES + 64),  # biases of q, k, v
    ("qwen3", {"head_dim": 16}, 3 * (PLAIN + 128 + 2 * 16) + TABLES + 64),  # norms of a head
    ("olmo", {}, 3 * PLAIN + TABLES),  # norms without weights
    ("olmo2", {}, 3 * (PLAIN + 128 + 64 + 32) + TABLES + 64),  # norms of all heads
    ("phi3", {}, 3 * (PLAIN + 128) + TABLES + 64),
    ("granite", {}, 3 * (PLAIN + 128) + TABLES + 64),
    ("smollm3", {}, 3 * (PLAIN + 128) + TABLES // 2 + 64),  # tied where nothing is said
    ("exaone4", {}, 3 * (PLAIN + 128 + 32) + TABLES + 64),
    ("stablelm", {"use_qkv_bias": True}, 3 * (PLAIN + 256 + 64 + 32 + 32) + TABLES + 128),  # norms with shifts
    ("stablelm", {"use_parallel_residual": True, "qk_layernorm": True}, 3 * (PLAIN + 128 + 64 + 32) + TABLES + 128),
    ("starcoder2", {}, 3 * (PLAIN - 64 * 96 + 256 + 64 + 32 + 32 + 64 + 96 + 64) + TABLES // 2 + 128),
    ("cohere", {}, 3 * (PLAIN + 64) + TABLES // 2 + 64),
    ("cohere", {"use_qk_norm": True}, 3 * (PLAIN + 64 + 64 + 32) + TABLES // 2 + 64),
    ("nemotron", {}, 3 * (PLAIN - 64 * 96 + 256) + TABLES + 128),
    ("arcee", {}, 3 * (PLAIN - 64 * 96 + 128) + TABLES + 64),
    ("helium", {"head_dim": 16, "attention_bias": True}, 3 * (PLAIN + 128 + 64 + 32 + 32) + TABLES + 64),
    ("phi", {}, 3 * (PLAIN - 64 * 96 + 128 + 64 + 32 + 32 + 64 + 96 + 64) + TABLES + 100 + 128),  # the head has a bias
]


@pytest.mark.parametrize(("family", "fields", "total"), LAYERS, ids=[f"{f}-{'-'.join(x)}" for f, x, _ in LAYERS])
def test_what_a_family_adds(family, fields, total):
    assert architecture.load(config(family, **fields)).ledger().parameters == total


def windows(given):
    """For each layer the size of its window, 0 where there is none."""
    model = architecture.load(given)
    found = [0] * model.n_layer
    for row in model.rows():
        if row.kind == "attention":
            for i in row.indices:
                found[i] = row.reach.size
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (config("mistral"), [4096] * 3),  # the class has one where nothing is said
        (config("mistral", sliding_window=None), [0] * 3),
        (config("qwen2", sliding_window=8), [0] * 3),  # use_sliding_window is false where it is missing
        (config("qwen2", sliding_window=8, use_sliding_window=True, max_window_layers=2), [0, 0, 8]),
        (config("olmo3", layers=5), [4096, 4096, 4096, 0, 4096]),
        (config("cohere2", layers=4, sliding_window=8, sliding_window_pattern=2), [8, 0, 8, 0]),
        (config("exaone4", layers=4, sliding_window=8, sliding_window_pattern="LLLG"), [8, 8, 8, 0]),
        (config("exaone4", layers=4, sliding_window=None), [0] * 4),
        (config("smollm3", layers=4, sliding_window=8, use_sliding_window=True), [0, 0, 0, 8]),
        (config("qwen3", sliding_window=8, use_sliding_window=True, layer_types=["sliding_attention"] + ["full_attention"] * 2), [8, 0, 0]),
    ],
)
def test_windows(given, expected):
    assert windows(given) == expected


def test_window_keeps_its_entries():
    """Mistral 7B: 4,096 entries of 2 × 8 × 128 elements in each of 32 layers, and no more."""
    ledger = architecture.load(PUBLISHED[3][1]).ledger()
    assert ledger.state(4096) == ledger.state(100_000) == 4096 * 32 * 2 * 8 * 128 * 2
    assert ledger.state(1000) == 1000 * 32 * 2 * 8 * 128 * 2


def test_images_are_sections_of_their_own():
    """Mistral Small 3.2: 24,011,361,280 parameters as published, of which 23,572,403,200 are those of the language model."""
    text = config("mistral", 5120, 40, 32, 8, 32768, 131072, head_dim=128, sliding_window=None)
    vision = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14}
    model = architecture.load({"model_type": "mistral3", "text_config": text, "vision_config": vision})
    sections = model.ledger().sections
    assert sum(sections.values()) == 24_011_361_280
    layer = 2 * 5120 * 4096 + 2 * 5120 * 1024 + 3 * 5120 * 32768 + 2 * 5120
    assert sections["language"] == 40 * layer + 2 * 131072 * 5120 + 5120
    assert sections["projector"] == 1024 + 4096 * 1024 + 1024 * 5120 + 5120 * 5120
    assert any("tie_word_embeddings" in w for w in model.warnings)


@pytest.mark.parametrize("name", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"])
def test_sizes_are_never_taken_for_granted(name):
    given = config()
    del given[name]
    with pytest.raises(ConfigError, match=f"{name}.* is missing$"):
        architecture.load(given)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"num_key_value_heads": 3}, "num_attention_heads = 4 is no multiple of num_key_value_heads = 3"),
        ({"num_attention_heads": 5, "num_key_value_heads": 5}, "hidden_size = 64 is no multiple"),
        ({"layer_types": ["full_attention"]}, "layer_types has 1 items for 3 layers"),
        ({"layer_types": ["sliding_attention"] * 3}, "sliding_window is missing"),
        ({"layer_types": ["linear"] * 3}, "layer_types holds 'linear'"),
        ({"attention_bias": "yes"}, "attention_bias = 'yes': must be true or false"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
    ],
)
def test_bad_fields_are_named_in_one_line(fields, said):
    with pytest.raises(AIInfraError) as caught:
        architecture.load(config() | fields)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
