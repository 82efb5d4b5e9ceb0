"""Llama 4: the published total with its vision tower, layers in chunks and without positions, and what is refused."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

TEXT = {
    "model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8,
    "head_dim": 128, "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_local_experts": 16, "num_experts_per_tok": 1,
    "interleave_moe_layer_step": 1, "vocab_size": 202048, "attention_chunk_size": 8192,
}  # fmt: skip
VISION = {
    "model_type": "llama4_vision_model", "hidden_size": 1408, "image_size": 336, "intermediate_size": 5632, "num_attention_heads": 16,
    "num_hidden_layers": 34, "patch_size": 14, "pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096, "projector_output_dim": 4096,
    "vision_output_dim": 4096,
}  # fmt: skip
SCOUT = {"model_type": "llama4", "text_config": TEXT, "vision_config": VISION}
MAVERICK = TEXT | {"num_local_experts": 128, "interleave_moe_layer_step": 2}
ATTENTION = 2 * 5120 * 5120 + 2 * 5120 * 1024
EXPERT = 3 * 5120 * 8192


def test_scout():
    """108,641,793,536 parameters as published; the text model alone has 107,769,861,120."""
    sections = architecture.load(SCOUT).ledger().sections
    assert sum(sections.values()) == 108_641_793_536
    assert sections["language"] == 107_769_861_120
    assert sections["language"] == 48 * (ATTENTION + 2 * 5120 + 5120 * 16 + 17 * EXPERT) + 2 * 202048 * 5120 + 5120
    assert sections["projector"] == 5632 * 4096 + 4096 * 4096 + 4096 * 5120


def test_maverick_has_experts_in_every_second_layer():
    """400,711,848,960 in the text model (transformers 5.24.0): 24 layers of 128 experts, 24 with an MLP twice as wide."""
    ledger = architecture.load(MAVERICK).ledger()
    sparse, dense = 5120 * 128 + 129 * EXPERT, 3 * 5120 * 16384
    assert ledger.parameters == 48 * (ATTENTION + 2 * 5120) + 24 * (sparse + dense) + 2 * 202048 * 5120 + 5120 == 400_711_848_960
    assert ledger.parameters - ledger.active == 24 * 127 * EXPERT
    assert sum(row.layers for row in ledger.rows if row.name == "shared up_proj") == 24
    chosen = architecture.load(TEXT | {"moe_layers": [5, 7]}).ledger()
    assert sorted(i for row in chosen.rows if row.name == "router" for i in row.indices) == [5, 7]


def chunked(given):
    found = {}
    for row in architecture.load(given).rows():
        if row.kind == "attention":
            found |= dict.fromkeys(row.indices, row.reach.kind == "chunk")
    return [i for i in sorted(found) if not found[i]]


def test_every_fourth_layer_sees_everything():
    assert chunked(TEXT) == list(range(3, 48, 4))
    assert chunked(TEXT | {"no_rope_layers": []}) == list(range(3, 48, 4))
    assert chunked(TEXT | {"no_rope_layer_interval": 6}) == list(range(5, 48, 6))
    assert chunked(TEXT | {"no_rope_layers": [1] * 47 + [0]}) == [47]
    assert chunked(TEXT | {"layer_types": ["full_attention"] + ["chunked_attention"] * 47}) == [0]
    assert chunked(TEXT | {"attention_chunk_size": None}) == list(range(48))


def test_state_in_chunks():
    """A chunk begins anew: after 8,193 tokens 36 layers hold 1 entry that is still met, 12 hold all; 2 × 8 × 128 elements each."""
    ledger = architecture.load(TEXT).ledger()
    assert ledger.state(8192) == 48 * 8192 * 2048 * 2
    assert ledger.state(8193) == (12 * 8193 + 36) * 2048 * 2
    assert ledger.token_bytes == 12 * 2048 * 2


def test_a_config_without_its_tower_says_so():
    model = architecture.load({"model_type": "llama4", "text_config": TEXT})
    assert list(model.ledger().sections) == ["language"]
    assert any("vision" in w for w in model.warnings)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (TEXT | {"intermediate_size_mlp": None, "interleave_moe_layer_step": 2}, "field intermediate_size_mlp is missing"),
        (TEXT | {"moe_layers": [48]}, "moe_layers = [48]"),
        (TEXT | {"no_rope_layers": [1]}, "no_rope_layers has 1 items for 48 layers"),
        (TEXT | {"attention_chunk_size": None, "layer_types": ["chunked_attention"] * 48}, "attention_chunk_size is null"),
        (TEXT | {"num_experts_per_tok": 17}, "num_experts_per_tok = 17 is more than num_local_experts = 16"),
        (SCOUT | {"vision_config": VISION | {"intermediate_size": 5000}}, "pixel_shuffle_ratio give 5632"),
        (SCOUT | {"vision_config": VISION | {"vision_output_dim": 7680}}, "vision_output_dim = 7680"),
        ({"model_type": "llama4"}, "is missing"),
    ],
)
def test_bad_fields_are_named_in_one_line(given, said):
    with pytest.raises(AIInfraError) as caught:
        architecture.load(given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
