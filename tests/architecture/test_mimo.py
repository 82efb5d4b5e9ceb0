"""MiMo-7B and MiMo-V2-Flash: layers summed by hand, windows with sinks and heads of their own, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

MIMO = {
    "model_type": "mimo", "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 11008, "vocab_size": 151680, "attention_bias": True, "num_nextn_predict_layers": 1, "use_sliding_window": False,
    "sliding_window": 32768,
}  # fmt: skip
PATTERN = [0, 1, 1, 1, 1, 0] + [1, 1, 1, 1, 1, 0] * 7
V2 = {
    "model_type": "mimo_v2_flash", "hidden_size": 4096, "num_hidden_layers": 48, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 192, "v_head_dim": 128, "swa_num_attention_heads": 64, "swa_num_key_value_heads": 8, "swa_head_dim": 192,
    "swa_v_head_dim": 128,
    "intermediate_size": 16384, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": None, "num_experts_per_tok": 8,
    "n_group": 1, "topk_group": 1, "vocab_size": 152576, "sliding_window": 128, "sliding_window_size": 128, "hybrid_layer_pattern": PATTERN,
    "moe_layer_freq": [0] + [1] * 47, "attention_bias": False, "add_swa_attention_sink_bias": True, "add_full_attention_sink_bias": False,
}  # fmt: skip


def test_mimo_by_hand():
    d, f = 4096, 11008
    layer = 2 * d * d + d + 2 * (d * 1024 + 1024) + 3 * d * f + 2 * d
    found = architecture.load(MIMO).ledger()
    assert found.parameters == 36 * layer + 2 * 151680 * d + d == 7_622_619_136
    assert found.sections["mtp"] == layer + 2 * d * d + 3 * d
    assert found.token_bytes == 36 * 2048 * 2
    assert architecture.load(MIMO | {"attention_bias": False}).ledger().parameters == found.parameters  # the reference does not read it


def test_v2_by_hand():
    d = 4096
    attention = {n: d * 64 * 192 + n * d * (192 + 128) + 64 * 128 * d for n in (4, 8)}
    experts = 256 * 3 * d * 2048 + 256 * d
    found = architecture.load(V2).ledger()
    assert found.trained == 9 * attention[4] + 39 * (attention[8] + 64) + 48 * 2 * d + 3 * d * 16384 + 47 * experts + 2 * 152576 * d + d
    assert found.trained == 308_778_768_832
    assert found.parameters - found.trained == 47 * 256


def test_v2_windows_hold_the_token_and_those_before_it():
    found, context = architecture.load(V2).ledger(), 10_000
    assert found.state(context) == 2 * (9 * context * 4 * 320 + 39 * 129 * 8 * 320)
    attention = [e.flops for e in found.decode(context).entries if e.row.kind == "attention"]
    assert sum(attention) == 2 * 64 * (192 + 128) * (9 * context + 39 * 129)
    assert any("sliding_window_size" in w for w in architecture.load(V2).warnings)


def test_v2_other_spellings():
    kinds = [("full_attention", "sliding_attention")[p] for p in PATTERN]
    named = {"hybrid_layer_pattern": None, "layer_types": kinds, "moe_layer_freq": None, "mlp_layer_types": ["dense"] + ["sparse"] * 47}
    named |= {name: None for name in V2 if name.startswith("swa_") or name.startswith("add_")}
    assert architecture.load(V2 | named).ledger().sections == architecture.load(V2).ledger().sections
    further = architecture.load(V2 | {"num_nextn_predict_layers": 1}).ledger().sections["mtp"]
    assert further == 329_273_408  # "0.33B" on the model's card


@pytest.mark.parametrize(
    ("config", "fields", "message"),
    [
        (MIMO, {"use_mrope": True}, "use_mrope = True"),
        (MIMO, {"num_key_value_heads": None}, "num_key_value_heads is missing"),
        (V2, {"hybrid_layer_pattern": None}, "layer_types or hybrid_layer_pattern is missing"),
        (V2, {"hybrid_layer_pattern": PATTERN[:-1]}, "hybrid_layer_pattern has 47 items for 48 layers"),
        (V2, {"layer_types": ["full_attention"] * 48}, "layer_types contradicts hybrid_layer_pattern"),
        (V2, {"moe_layer_freq": None}, "mlp_layer_types or moe_layer_freq is missing"),
        (V2, {"mlp_layer_types": ["dense"] * 48}, "mlp_layer_types contradicts moe_layer_freq"),
        (V2, {"swa_num_key_value_heads": 7}, "no multiple of swa_num_key_value_heads = 7"),
        (V2, {"sliding_window": 4096}, "sliding_window = 4096, but sliding_window_size = 128"),
        (V2, {"n_shared_experts": 1}, "n_shared_experts = 1"),
    ],
)
def test_bad_fields(config, fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(config | fields)
    assert "\n" not in str(caught.value)
