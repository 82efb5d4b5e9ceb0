"""Kimi-K2.5, Kimi-Linear and Kimi-K3: published totals, states that do not grow, towers, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

MLA = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 163840, "mla_use_nope": True}
LINEAR = MLA | {
    "model_type": "kimi_linear", "hidden_size": 2304, "num_hidden_layers": 27, "num_attention_heads": 32, "num_key_value_heads": 32,
    "intermediate_size": 9216, "moe_intermediate_size": 1024, "num_experts": 256, "num_experts_per_token": 8, "num_shared_experts": 1,
    "num_expert_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "q_lora_rank": None, "dtype": "bfloat16",
    "model_max_length": 1048576,
    "linear_attn_config": {
        "full_attn_layers": [*range(4, 27, 4), 27], "kda_layers": [i for i in range(1, 27) if i % 4], "num_heads": 32, "head_dim": 128,
        "short_conv_kernel_size": 4,
    },
}  # fmt: skip
K3_TEXT = MLA | {
    "model_type": "kimi_linear", "hidden_size": 7168, "num_hidden_layers": 93, "num_attention_heads": 96, "num_key_value_heads": 96,
    "intermediate_size": 33792, "moe_intermediate_size": 3072, "num_experts": 896, "num_experts_per_token": 16, "num_shared_experts": 2,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "q_lora_rank": 1536, "routed_expert_hidden_size": 3584, "latent_moe_use_norm": True,
    "mla_use_output_gate": True, "attn_res_block_size": 12, "num_nextn_predict_layers": 0, "dtype": "bfloat16",
    "linear_attn_config": {
        "full_attn_layers": [*range(4, 93, 4), 93], "kda_layers": [i for i in range(1, 93) if i % 4], "num_heads": 96, "head_dim": 128,
        "short_conv_kernel_size": 4, "use_full_rank_gate": True,
    },
}  # fmt: skip
EYE = {
    "patch_size": 14, "init_pos_emb_height": 64, "init_pos_emb_width": 64, "merge_kernel_size": [2, 2], "text_hidden_size": 7168,
    "vt_num_hidden_layers": 27,
}  # fmt: skip
OLD_EYE = EYE | {"mm_projector_type": "patchmerger", "vt_hidden_size": 1152, "vt_intermediate_size": 4304, "mm_hidden_size": 1152}
NEW_EYE = EYE | {
    "mm_projector_type": "patchmergerv2", "vt_hidden_size": 1024, "vt_intermediate_size": 4096, "mm_hidden_size": 1024,
    "qkv_hidden_size": 1536, "norm_type": "rmsnorm", "attn_bias": False, "linear_bias": False, "patch_embed_proj_bias": False,
}  # fmt: skip
K3 = {"model_type": "kimi_k3", "dtype": "bfloat16", "text_config": K3_TEXT, "vision_config": NEW_EYE}
K2_TEXT = MLA | {
    "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 64, "num_key_value_heads": 64, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 384, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 1,
    "q_lora_rank": 1536, "num_nextn_predict_layers": 0,
}  # fmt: skip
K2_TEXT = {k: v for k, v in K2_TEXT.items() if k != "mla_use_nope"}


def test_k3_holds_what_its_files_hold():
    found = architecture.load(K3).ledger()
    assert sum(found.sections.values()) == 2_779_931_837_184  # Hub, tensor total
    assert found.sections["vision"] == 401_214_464
    assert found.sections["projector"] == 46_144_512
    experts = sum(row.parameters for row in found.rows if row.part == "experts" and row.name.startswith("experts "))
    assert experts == 92 * 896 * 3 * 3584 * 3072 == 2_722_740_830_208  # the Hub counts as many elements of four bits


def test_k3_state():
    found = architecture.load(K3).ledger()
    recurrent, kept = 96 * 128 * 128 * 4, 4 * 3 * 96 * 128 * 2
    assert found.fixed_bytes == 69 * (recurrent + kept) == 449_372_160 + 69 * 3 * 96 * 128 * 2  # vLLM keeps one input fewer
    assert found.token_bytes == 24 * 576 * 2
    assert found.state(10_000) == found.fixed_bytes + 24 * 576 * 2 * 10_000
    assert architecture.load(K3).ledger(kv="fp8").fixed_bytes == found.fixed_bytes  # a cache in FP8 leaves these as they are


def test_k3_delta_rule_by_hand():
    wide = 96 * 128
    entries = [e for e in architecture.load(K3).ledger().decode(100).entries if e.row.part == "recurrent"]
    matrices = 2 * (5 * 7168 * wide + 7168 * 128 + 128 * wide + 7168 * 96)
    assert sum(e.flops for e in entries) == 69 * (matrices + 2 * 4 * 3 * wide + 7 * 96 * 128 * 128)


def test_linear():
    found = architecture.load(LINEAR).ledger()
    assert found.trained == 49_122_675_072
    assert found.parameters - found.trained == 26 * 256
    assert found.fixed_bytes == 20 * (2 * 1024 * 1024 + 4 * 3 * 4096 * 2)  # transformers keeps as many inputs as there are taps
    assert found.token_bytes == 7 * 576 * 2
    assert found.architecture.max_context == 1048576
    types = ["full_attention" if i in (4, 8, 12, 16, 20, 24, 27) else "linear_attention" for i in range(1, 28)]
    named = {"layer_types": types, "linear_attn_config": None, "linear_num_heads": 32, "linear_head_dim": 128, "linear_conv_kernel_dim": 4}
    assert architecture.load(LINEAR | named).ledger().sections == found.sections


def test_k25():
    model = architecture.load({"model_type": "kimi_k25", "text_config": K2_TEXT, "vision_config": OLD_EYE})
    found = model.ledger()
    assert (found.trained, found.sections["vision"], found.sections["projector"]) == (1_026_408_209_408, 416_866_032, 54_277_888)
    blind = architecture.load({"model_type": "kimi_k25", "text_config": K2_TEXT})
    assert set(blind.ledger().sections) == {"language"}
    assert any("no vision_config" in w for w in blind.warnings)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"linear_attn_config": None}, "linear_attn_config or layer_types is missing"),
        ({"linear_attn_config": LINEAR["linear_attn_config"] | {"kda_layers": [1, 2, 3]}}, "must name each of the layers 1 to 27 once"),
        ({"linear_attn_config": LINEAR["linear_attn_config"] | {"kda_layers": "all"}}, "kda_layers = 'all'"),
        ({"layer_types": ["full_attention"] * 27}, "layer_types contradicts"),
        ({"num_nextn_predict_layers": 1}, "num_nextn_predict_layers = 1"),
        ({"mla_use_nope": False}, "mla_use_nope = False"),
        ({"num_shared_experts": "one"}, "num_shared_experts = 'one'"),
        ({"num_experts_per_token": 512}, "num_experts_per_tok = 512 is more than the 256"),
    ],
)
def test_bad_fields(fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(LINEAR | fields)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mm_projector_type": "mlp"}, "mm_projector_type = 'mlp'"),
        ({"merge_kernel_size": [2, "2"]}, "merge_kernel_size"),
        ({"text_hidden_size": 4096}, "text_hidden_size = 4096"),
        ({"norm_type": None}, "norm_type is missing"),
        ({"attn_bias": None}, "attn_bias is missing"),
    ],
)
def test_bad_towers(fields, message):
    with pytest.raises(AIInfraError, match=message):
        architecture.load(K3 | {"vision_config": NEW_EYE | fields})
