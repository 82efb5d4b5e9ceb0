"""Step-3.7-Flash: published totals with its tower and the layers for further tokens, two kinds of heads, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

TEXT = {
    "model_type": "step3p5", "hidden_size": 4096, "num_hidden_layers": 45, "num_attention_heads": 64, "num_attention_groups": 8,
    "head_dim": 128,
    "intermediate_size": 11264, "moe_num_experts": 288, "moe_top_k": 8, "moe_intermediate_size": 1280, "share_expert_dim": 1280,
    "moe_layers_enum": ",".join(map(str, range(3, 45))),
    "layer_types": ["sliding_attention" if i % 4 else "full_attention" for i in range(48)],
    "sliding_window": 512, "num_nextn_predict_layers": 3, "vocab_size": 128896, "use_moe_router_bias": True,
    "attention_other_setting": {"attention_type": "sliding_attention", "num_attention_heads": 96, "num_attention_groups": 8,
    "head_dim": 128},
}  # fmt: skip
EYE = {"width": 1536, "layers": 47, "heads": 16, "image_size": 728, "patch_size": 14}
STEP = {"model_type": "step3p7", "text_config": TEXT, "vision_config": EYE}


def test_totals():
    found = architecture.load(STEP).ledger()
    text = architecture.load(TEXT).ledger()
    assert text.parameters + text.sections["mtp"] == 199_384_301_376  # Hub, tensor total of Step-3.5-Flash
    assert found.trained == text.trained == 196_956_118_272
    assert found.sections["vision"] + found.sections["projector"] == 1_955_848_960 + 25_165_824
    assert sum(found.sections.values()) == 201_365_316_160  # "201B" on the Hub


def test_layer_by_hand():
    d, keys = 4096, 2 * 8 * 128 * 4096 + 2 * 128
    heads = {n: 2 * d * n * 128 + n * d + keys for n in (64, 96)}
    dense, moe = 3 * d * 11264, 289 * 3 * d * 1280 + 288 * d
    layers = 12 * heads[64] + 33 * heads[96] + 45 * 2 * d + 3 * dense + 42 * moe
    found = architecture.load(TEXT).ledger()
    assert found.trained == layers + 2 * 128896 * d + d
    further = heads[96] + dense + 2 * d + 3 * d + 2 * d * d + 128896 * d
    assert found.sections["mtp"] == 3 * further


def test_window():
    found, context = architecture.load(TEXT).ledger(), 50_000
    assert found.state(context) == 2 * 2048 * (12 * context + 33 * 512)
    attention = [e.flops for e in found.decode(context).entries if e.row.kind == "attention"]
    assert sum(attention) == 4 * 128 * (12 * 64 * context + 33 * 96 * 512)


def test_a_flat_file_that_is_silent_on_heads_is_said_to_be_so():
    flat = {k: v for k, v in TEXT.items() if k not in ("attention_other_setting", "moe_layers_enum")}
    flat |= {"model_type": "step3p7", "first_k_dense_replace": 3, "layer_types": TEXT["layer_types"][:45]}
    model = architecture.load(flat)
    assert any("attention_other_setting is missing" in w for w in model.warnings)
    fewer = 33 * (2 * 4096 * 32 * 128 + 32 * 4096)
    assert model.ledger().trained == 196_956_118_272 - fewer
    assert not any("attention_other_setting" in w for w in architecture.load(STEP).warnings)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"layer_types": None}, "layer_types is missing"),
        ({"layer_types": ["full_attention"] * 46}, "layer_types has 46 items for 45 layers"),
        ({"sliding_window": None}, "sliding_window is missing"),
        ({"num_sliding_attention_heads": 64}, "num_sliding_attention_heads = 64, but .*num_attention_heads = 96"),
        ({"num_key_value_heads": 4}, "num_key_value_heads = 4, but num_attention_groups = 8"),
        ({"num_attention_groups": 5}, "no multiple of"),
        ({"moe_layers_enum": "3,x"}, "moe_layers_enum"),
        ({"moe_layers_enum": None}, "mlp_layer_types or moe_layers_enum is missing"),
        ({"first_k_dense_replace": 4}, "moe_layers_enum and first_k_dense_replace contradict each other"),
        ({"n_routed_experts": 256}, "n_routed_experts = 256, but moe_num_experts = 288"),
        ({"use_head_wise_attn_gate": False}, "use_head_wise_attn_gate = False"),
        ({"share_expert_dim": None}, "share_expert_dim"),
    ],
)
def test_bad_fields(fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(TEXT | fields)
    assert "\n" not in str(caught.value)
