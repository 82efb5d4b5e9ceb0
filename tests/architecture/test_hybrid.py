"""Qwen3-Next and Qwen3.5: totals of transformers 5.24.0 on the meta device, and sums written out by hand."""

import pytest

from aiinfra import architecture
from aiinfra.errors import ConfigError

SMALL = {
    "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 128,
    "intermediate_size": 96, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}  # fmt: skip
ROUTED = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 48}
NEXT = SMALL | ROUTED | {"model_type": "qwen3_next", "mlp_only_layers": [1]}
DENSE = SMALL | {"model_type": "qwen3_5_text"}
# Qwen/Qwen3.5-35B-A3B, config.json
QWEN35 = {
    "model_type": "qwen3_5_moe_text", "hidden_size": 2048, "num_hidden_layers": 40, "num_attention_heads": 16, "num_key_value_heads": 2,
    "head_dim": 256, "vocab_size": 248320, "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "num_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512, "full_attention_interval": 4, "mtp_num_hidden_layers": 1, "mamba_ssm_dtype": "float32",
    "attn_output_gate": True, "tie_word_embeddings": False, "dtype": "bfloat16",
}  # fmt: skip


def ledger(config):
    return architecture.load(config).ledger()


def rows(config, part):
    return {r.name: r for r in ledger(config).rows if r.part == part and r.section == "language"}


@pytest.mark.parametrize(("config", "total"), [(NEXT, 199_912), (DENSE, 152_872), (QWEN35, 34_660_610_688)])
def test_parameters_are_those_of_transformers(config, total):
    assert ledger(config).parameters == total


def test_a_delta_net_layer_by_hand():
    found = rows(NEXT, "recurrent")
    keys, values = 2 * 8, 4 * 16
    assert found["in_proj_qkvz"].one == 64 * (2 * keys + 2 * values)
    assert found["in_proj_ba"].one == 64 * 2 * 4
    assert found["conv1d"].one == 4 * (2 * keys + values)
    assert found["out_proj"].one == values * 64
    assert (found["dt_bias"].one, found["A_log"].one, found["norm"].one) == (4, 4, 16)


def test_newer_models_split_the_inputs_of_the_delta_net():
    found = rows(DENSE, "recurrent")
    assert [found[n].one for n in ("in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a")] == [64 * 96, 64 * 64, 64 * 4, 64 * 4]


def test_the_query_matrix_also_makes_the_gate():
    found = rows(QWEN35, "attention")
    assert found["q_proj"].shape == "2,048 × 8,192"
    assert found["o_proj"].shape == "4,096 × 2,048"
    assert found["q_proj"].layers == 10


def test_state_is_fp32_and_the_convolution_keeps_all_taps():
    # transformers 5.24.0 after a prompt: conv_states (1, 96, 4) in BF16, recurrent_states (1, 4, 8, 16) in FP32
    assert ledger(NEXT).fixed_bytes == 3 * (96 * 4 * 2 + 4 * 8 * 16 * 4)
    assert ledger(NEXT).token_bytes == 1 * 2 * 2 * 16 * 2


def test_a_format_of_the_cache_leaves_the_recurrent_state_alone():
    model = architecture.load(QWEN35)
    plain, small = model.ledger(), model.ledger(kv="fp8")
    assert plain.fixed_bytes == small.fixed_bytes == 30 * (32 * 128 * 128 * 4 + 8192 * 4 * 2)
    assert plain.token_bytes == 2 * small.token_bytes == 10 * 2 * 2 * 256 * 2


def test_the_prediction_layer_is_of_full_attention_with_experts():
    # Not built by transformers; the sum of its tensors as vLLM builds them (qwen3_5_mtp.py at 01d99805)
    d, experts = 2048, 256 * 3 * 2048 * 512
    attention = d * 2 * 16 * 256 + 2 * d * 2 * 256 + 16 * 256 * d + 2 * 256
    layer = attention + experts + d * 256 + 3 * d * 512 + d + 2 * d
    assert ledger(QWEN35).sections["mtp"] == layer + 2 * d * d + 3 * d == 844_640_768


def test_which_layers_are_which():
    model = architecture.load(NEXT)
    assert [b.indices for b in model.blocks] == [(0, 2), (1,), (3,)]
    assert any("multi-token" in w for w in model.warnings)


def test_matrix_operations_by_hand():
    work = ledger(DENSE).prefill(12, logits="all")
    delta = 64 * (96 + 64 + 4 + 4) + 64 * 64
    attention = 64 * (2 * 64 + 2 * 32) + 64 * 64
    matrices = 3 * delta + attention + 4 * 3 * 64 * 96 + 64 * 128
    # the same as 2 × inputs × outputs summed over the linear layers that a prompt of 12 tokens calls in transformers 5.24.0
    assert sum(e.flops for e in work.entries if e.row.kind == "matrix") == 2 * 12 * matrices == 3_428_352


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"linear_num_value_heads": 3}, "linear_num_value_heads = 3 is no multiple of linear_num_key_heads = 2"),
        ({"layer_types": ["linear_attention"] * 3}, "layer_types has 3 items for 4 layers"),
        ({"layer_types": ["mamba"] * 4}, "layer_types holds"),
        ({"head_dim": None}, "head_dim is missing"),
        ({"num_key_value_heads": None}, "num_key_value_heads is missing"),
        ({"linear_key_head_dim": None}, "linear_key_head_dim is missing"),
        ({"attn_output_gate": False}, "attn_output_gate"),
        ({"mlp_only_layers": ["a"]}, "mlp_only_layers"),
        ({"num_experts_per_tok": 5}, "num_experts_per_tok"),
        ({"mamba_ssm_dtype": "int3"}, "mamba_ssm_dtype"),
        ({"mtp_num_hidden_layers": -1}, "mtp_num_hidden_layers"),
        ({"mtp_use_dedicated_embeddings": True, "mtp_num_hidden_layers": 1}, "mtp_use_dedicated_embeddings"),
    ],
)
def test_a_bad_field_gives_one_line(change, text):
    with pytest.raises(ConfigError) as error:
        architecture.load(NEXT | change)
    assert text in str(error.value) and "\n" not in str(error.value)
