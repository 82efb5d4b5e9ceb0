"""Gemma 1 to 3: totals of the published weights, local and global layers, the vision tower."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError


def config(model_type, d, layers, heads, kv, ff, vocab, **fields):
    return {
        "model_type": model_type, "hidden_size": d, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv, "intermediate_size": ff, "vocab_size": vocab,
    } | fields  # fmt: skip


VISION = {
    "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304, "model_type": "siglip_vision_model", "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": False,
}  # fmt: skip
PUBLISHED = [  # parameters of the published safetensors
    (config("gemma2", 2304, 26, 8, 4, 9216, 256000), 2_614_341_888),
    (config("gemma2", 3584, 42, 16, 8, 14336, 256000), 9_241_705_984),
    (config("gemma2", 4608, 46, 32, 16, 36864, 256000, head_dim=128), 27_227_128_320),
    (config("gemma3_text", 1152, 26, 4, 1, 6912, 262144, sliding_window=512), 999_885_952),
]


@pytest.mark.parametrize(("given", "total"), PUBLISHED)
def test_published_totals(given, total):
    assert architecture.load(given).ledger().parameters == total


def test_gemma1_by_hand():
    """Gemma 7B: heads of 256 in a model of 3,072, so that queries are wider than the model."""
    ledger = architecture.load(config("gemma", 3072, 28, 16, 16, 24576, 256000, head_dim=256)).ledger()
    assert ledger.parameters == 28 * (4 * 3072 * 4096 + 3 * 3072 * 24576 + 2 * 3072) + 256000 * 3072 + 3072


def test_one_layer_of_gemma3_by_hand():
    """1B: 4 query heads of 256 on one for keys and values; six norms, of which two are of a head."""
    model = architecture.load(PUBLISHED[3][0])
    layer = 2 * 1152 * 1024 + 2 * 1152 * 256 + 3 * 1152 * 6912 + 4 * 1152 + 2 * 256
    assert sum(row.parameters for row in model.rows() if row.indices) == 26 * layer


def multimodal(text, **fields):
    return {"model_type": "gemma3", "text_config": text, "vision_config": VISION} | fields


@pytest.mark.parametrize(
    ("text", "total"),
    [
        (config("gemma3_text", 3840, 48, 16, 8, 15360, 262208, sliding_window=1024), 12_187_325_040),
        (config("gemma3_text", 5376, 62, 32, 16, 21504, 262208, head_dim=128, sliding_window=1024), 27_432_406_640),
    ],
)
def test_published_totals_with_images(text, total):
    sections = architecture.load(multimodal(text)).ledger().sections
    assert sum(sections.values()) == total
    d = 1152
    layer = 4 * d * d + 4 * d + 2 * d * 4304 + 4304 + d + 4 * d
    assert sections["vision"] == 27 * layer + 3 * 14 * 14 * d + d + 64 * 64 * d + 2 * d
    assert sections["projector"] == d * text["hidden_size"] + d


def test_a_published_config_that_leaves_sizes_to_its_class():
    """Gemma 3 4B names neither heads nor vocabulary; 4,300,079,472 parameters as published, and a warning."""
    text = {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}
    model = architecture.load(multimodal(text))
    assert sum(model.ledger().sections.values()) == 4_300_079_472
    assert any("num_attention_heads = 8" in w and "vocab_size = 262208" in w for w in model.warnings)


def reaches(given):
    model = architecture.load(given)
    found = {}
    for row in model.rows():
        if row.kind == "attention":
            found |= dict.fromkeys(row.indices, row.reach.size)
    return [found[i] for i in sorted(found)]


def test_local_and_global_layers():
    two = PUBLISHED[0][0]
    assert reaches(two) == [4096, 0] * 13
    three = PUBLISHED[3][0]
    assert reaches(three) == ([512] * 5 + [0]) * 4 + [512] * 2
    assert reaches(three | {"sliding_window_pattern": 2}) == [512, 0] * 13
    assert reaches(three | {"layer_types": ["full_attention"] * 26}) == [0] * 26
    ledger = architecture.load(three).ledger()
    assert ledger.state(10_000) == (22 * 512 + 4 * 10_000) * 2 * 256 * 2


def test_bad_fields_are_named_in_one_line():
    for given, said in (
        (PUBLISHED[3][0] | {"use_bidirectional_attention": True}, "use_bidirectional_attention = True"),
        (PUBLISHED[3][0] | {"layer_types": ["chunked_attention"] * 26}, "layer_types holds 'chunked_attention'"),
        (PUBLISHED[3][0] | {"sliding_window_pattern": 0}, "sliding_window_pattern = 0"),
        ({"model_type": "gemma3", "text_config": 3}, "expected a mapping"),
        (multimodal(PUBLISHED[3][0], vision_config=VISION | {"patch_size": None}), "vision_config: field patch_size is missing"),
        (multimodal(PUBLISHED[3][0] | {"tie_word_embeddings": False}, tie_word_embeddings=True), "tie_word_embeddings = True, but"),
    ):
        with pytest.raises(AIInfraError) as caught:
            architecture.load(given)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
