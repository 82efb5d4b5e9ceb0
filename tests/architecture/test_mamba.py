"""Mamba-2 and its hybrids: totals of transformers 5.24.0 on the meta device, and sums written out by hand."""

import pytest

from aiinfra import architecture
from aiinfra.errors import ConfigError

MAMBA2 = {
    "model_type": "mamba2", "hidden_size": 64, "num_hidden_layers": 3, "vocab_size": 128, "state_size": 32, "num_heads": 8, "head_dim": 16,
    "n_groups": 2, "expand": 2, "conv_kernel": 4, "use_bias": True, "tie_word_embeddings": False,
}  # fmt: skip
NEMOTRON = {
    "model_type": "nemotron_h", "hidden_size": 64, "vocab_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "mamba_num_heads": 8, "mamba_head_dim": 16, "ssm_state_size": 32, "n_groups": 2, "conv_kernel": 4, "intermediate_size": 96,
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "moe_shared_expert_intermediate_size": 40,
    "moe_latent_size": 16, "hybrid_override_pattern": "M*-EM",
}  # fmt: skip
SHARED = {
    "hidden_size": 64, "vocab_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96, "mamba_n_heads": 8,
    "mamba_d_head": 16, "mamba_n_groups": 2, "mamba_d_state": 32, "mamba_d_conv": 4,
}  # fmt: skip
FALCON = SHARED | {
    "model_type": "falcon_h1", "num_hidden_layers": 2, "head_dim": 16, "mamba_d_ssm": 128, "mamba_rms_norm": True, "projectors_bias": True
}  # fmt: skip
BAMBA = SHARED | {"model_type": "bamba", "num_hidden_layers": 3, "attn_layer_indices": [1], "mamba_expand": 2}
LFM2 = {
    "model_type": "lfm2", "hidden_size": 64, "vocab_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 1000, "layer_types": ["conv", "full_attention", "conv"],
}  # fmt: skip
LFM2_MOE = LFM2 | {
    "model_type": "lfm2_moe", "intermediate_size": 96, "moe_intermediate_size": 24, "num_experts": 4, "num_experts_per_tok": 2,
    "num_dense_layers": 1,
}  # fmt: skip
# nvidia/NVIDIA-Nemotron-3-Super-120B-A12B, config.json
SUPER = {
    "model_type": "nemotron_h", "hidden_size": 4096, "vocab_size": 131072, "num_attention_heads": 32, "num_key_value_heads": 2,
    "head_dim": 128, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,
    "intermediate_size": 2688,
    "n_routed_experts": 512, "num_experts_per_tok": 22, "moe_intermediate_size": 2688, "moe_shared_expert_intermediate_size": 5376,
    "moe_latent_size": 1024, "num_hidden_layers": 88, "num_nextn_predict_layers": 1, "mtp_hybrid_override_pattern": "*E",
    "mamba_ssm_cache_dtype": "float32", "torch_dtype": "bfloat16",
    "hybrid_override_pattern": "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
}  # fmt: skip
# nvidia/Nemotron-H-56B-Base-8K, config.json
H56 = {
    "model_type": "nemotron_h", "hidden_size": 8192, "vocab_size": 131072, "num_attention_heads": 64, "num_key_value_heads": 8,
    "attention_head_dim": 128, "mamba_num_heads": 256, "mamba_head_dim": 64, "ssm_state_size": 256, "n_groups": 8, "conv_kernel": 4,
    "intermediate_size": 32768, "num_hidden_layers": 118, "hybrid_override_pattern": "M-M-M-M*-" + "M-M-M-M-M*-" * 9 + "M-M-M-M-M-",
}  # fmt: skip


def ledger(config):
    return architecture.load(config).ledger()


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (MAMBA2, 122_144), (NEMOTRON, 121_264), (FALCON, 147_696), (BAMBA, 153_840), (LFM2, 496_480), (LFM2_MOE, 109_920),
        (SUPER, 120_668_687_360), (H56, 56_324_350_464),
    ],
)  # fmt: skip
def test_parameters_are_those_of_transformers(config, total):
    assert ledger(config).trained == total


def test_a_mamba_layer_by_hand():
    found = {r.name: r for r in ledger(SUPER).rows if r.part == "recurrent"}
    inner, groups = 128 * 64, 2 * 8 * 128
    assert found["in_proj"].shape == f"4,096 × {2 * inner + groups + 128:,}"
    assert found["conv1d"].one == (4 + 1) * (inner + groups)
    assert [found[n].one for n in ("dt_bias", "A_log", "D", "norm")] == [128, 128, 128, inner]
    assert found["out_proj"].one == inner * 4096 and found["out_proj"].layers == 40


def test_experts_work_on_a_latent_vector():
    found = {r.name: r for r in ledger(SUPER).rows if r.part == "experts" and r.section == "language"}
    assert found["latent down"].shape == "4,096 × 1,024" and found["latent up"].shape == "1,024 × 4,096"
    assert found["experts up_proj"].one == 1024 * 2688 and "experts gate_proj" not in found
    assert found["experts up_proj"].parameters == 40 * 512 * 1024 * 2688
    assert found["shared up_proj"].one == 4096 * 5376 and "shared gate_proj" not in found
    assert found["router correction"].buffer and found["router correction"].parameters == 40 * 512


def test_prediction_layers_follow_their_own_pattern():
    # Not built by transformers; the sum of its tensors as vLLM builds them (nemotron_h_mtp.py at 01ca2773)
    d, q, kv = 4096, 32 * 128, 2 * 128
    attention = d * q + 2 * d * kv + q * d
    experts = 512 * 2 * 1024 * 2688 + d * 512 + 2 * d * 5376 + 2 * d * 1024
    assert ledger(SUPER).sections["mtp"] - 512 == attention + experts + 2 * d + 2 * d * d + 3 * d == 2_942_324_736


def test_a_pattern_may_be_words():
    words = {"layers_block_type": ["linear_attention", "attention", "mlp", "moe", "mamba"], "hybrid_override_pattern": None}
    assert ledger(NEMOTRON | words).trained == 121_264


@pytest.mark.parametrize("config", [MAMBA2, NEMOTRON, FALCON, BAMBA])
def test_state_is_fp32_and_the_convolution_keeps_all_taps(config):
    # transformers 5.24.0 after a prompt: conv_states (1, 256, 4) in BF16, recurrent_states (1, 8, 16, 32) in FP32
    layers = {"mamba2": 3, "nemotron_h": 2, "falcon_h1": 2, "bamba": 2}[config["model_type"]]
    assert ledger(config).fixed_bytes == layers * (256 * 4 * 2 + 8 * 16 * 32 * 4)


def test_a_config_may_ask_for_a_smaller_state():
    half = ledger(NEMOTRON | {"mamba_ssm_cache_dtype": "bfloat16"})
    assert ledger(NEMOTRON).fixed_bytes - half.fixed_bytes == 2 * 8 * 16 * 32 * 2


def test_a_short_convolution_keeps_its_inputs_alone():
    # transformers 5.24.0 after a prompt: conv_states (1, 64, 3) in BF16 and no recurrent state
    assert ledger(LFM2).fixed_bytes == 2 * 64 * 3 * 2
    assert ledger(LFM2).token_bytes == 1 * 2 * 2 * 16 * 2


def test_the_width_of_an_lfm2_mlp_is_adjusted():
    assert {r.shape for r in ledger(LFM2).rows if r.name == "w1"} == {"64 × 768"}  # 2/3 of 1000 is 666; the next multiple of 256
    assert {r.shape for r in ledger(LFM2 | {"block_auto_adjust_ff_dim": False}).rows if r.name == "w1"} == {"64 × 1,000"}
    assert {r.shape for r in ledger(LFM2 | {"block_ffn_dim_multiplier": None}).rows if r.name == "w1"} == {"64 × 666"}


@pytest.mark.parametrize(
    ("config", "flops"), [(MAMBA2, 2_592_768), (FALCON, 3_268_608), (BAMBA, 3_416_064), (LFM2, 11_894_784)]
)  # fmt: skip
def test_matrix_operations_are_those_of_transformers(config, flops):
    # 2 × inputs × outputs summed over the linear layers that a prompt of 12 tokens calls in transformers 5.24.0
    work = ledger(config).prefill(12, logits="all")
    assert sum(e.flops for e in work.entries if e.row.kind == "matrix") == flops


@pytest.mark.parametrize(
    ("config", "change", "text"),
    [
        (NEMOTRON, {"hybrid_override_pattern": "M*X"}, "hybrid_override_pattern"),
        (NEMOTRON, {"hybrid_override_pattern": None}, "layers_block_type or hybrid_override_pattern is missing"),
        (NEMOTRON, {"hybrid_override_pattern": ""}, "hybrid_override_pattern"),
        (NEMOTRON, {"num_hidden_layers": 7}, "num_hidden_layers = 7, but the pattern has 5 layers"),
        (NEMOTRON, {"layers_block_type": ["mamba"] * 5}, "name different layers"),
        (NEMOTRON, {"attention_bias": True}, "attention_bias"),
        (NEMOTRON, {"n_shared_experts": 2}, "n_shared_experts"),
        (NEMOTRON, {"mamba_num_heads": 7}, "mamba_num_heads = 7 is no multiple of n_groups = 2"),
        (NEMOTRON, {"head_dim": None}, "head_dim or attention_head_dim is missing"),
        (MAMBA2, {"num_heads": 6}, "num_heads × head_dim = 96, but the inner width is 128"),
        (MAMBA2, {"state_size": "big"}, "state_size"),
        (FALCON, {"mamba_d_ssm": 100}, "the inner width is 100"),
        (BAMBA, {"attn_layer_indices": [3]}, "attn_layer_indices"),
        (MAMBA2, {"intermediate_size": 100}, "intermediate_size = 100"),
        (FALCON, {"mamba_use_mlp": False}, "mamba_use_mlp = False"),
        (LFM2, {"conv_dim": 32}, "conv_dim = 32: hidden_size is 64"),
        (LFM2, {"layer_types": None}, "layer_types or full_attn_idxs is missing"),
        (LFM2, {"tie_embedding": False, "tie_word_embeddings": True}, "tie_embedding = False, but tie_word_embeddings = True"),
    ],
)
def test_a_bad_field_gives_one_line(config, change, text):
    with pytest.raises(ConfigError) as error:
        architecture.load(config | change)
    assert text in str(error.value) and "\n" not in str(error.value)
