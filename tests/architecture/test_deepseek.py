"""DeepSeek-V2 to V3.2, Kimi-K2 and GLM-5: totals of the published files, layers summed by hand, caches, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

V3 = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
    "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "n_group": 8, "topk_group": 4, "topk_method": "noaux_tc", "first_k_dense_replace": 3, "moe_layer_freq": 1, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
    "num_nextn_predict_layers": 1, "tie_word_embeddings": False, "torch_dtype": "bfloat16", "max_position_embeddings": 163840,
}  # fmt: skip
V32 = V3 | {"model_type": "deepseek_v32", "index_topk": 2048, "index_head_dim": 128, "index_n_heads": 64}
K2 = V3 | {
    "model_type": "kimi_k2", "num_attention_heads": 64, "num_key_value_heads": 64, "n_routed_experts": 384, "n_group": 1, "topk_group": 1,
    "first_k_dense_replace": 1, "vocab_size": 163840, "num_nextn_predict_layers": 0,
}  # fmt: skip
LITE = V3 | {
    "model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16,
    "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6,
    "n_group": 1, "topk_group": 1, "topk_method": "greedy", "first_k_dense_replace": 1, "q_lora_rank": None, "vocab_size": 102400,
    "num_nextn_predict_layers": None,
}  # fmt: skip
GLM5 = V32 | {
    "model_type": "glm_moe_dsa", "hidden_size": 6144, "num_hidden_layers": 78, "num_attention_heads": 64, "num_key_value_heads": 64,
    "intermediate_size": 12288, "q_lora_rank": 2048, "qk_nope_head_dim": 192, "qk_head_dim": 256, "v_head_dim": 256, "index_n_heads": 32,
    "n_group": 1, "topk_group": 1, "vocab_size": 154880,
}  # fmt: skip
GLM53 = GLM5 | {"index_topk_freq": 4, "index_skip_topk_offset": 3}


def ledger(config, **fields):
    return architecture.load(config | fields).ledger()


def test_v3_holds_what_its_files_hold():
    found = ledger(V3)
    # Hub, tensor totals of the files: FP8 elements, BF16 elements (copies of token table and head among them), biases of 59 routers
    f8, bf16, copies, biases = 680_571_043_840, 3_918_786_560, 2 * 129280 * 7168, 59 * 256
    assert sum(found.sections.values()) == f8 + bf16 - copies + biases
    assert found.parameters == 671_026_419_200
    assert found.parameters - found.trained == 58 * 256
    assert round(found.sections["mtp"] / 1e9, 1) == 11.6  # the files' README: 11.5 billion of its own, cut off


def test_v3_layer_by_hand():
    attention = 7168 * 1536 + 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 + 512 * 128 * 256 + 128 * 128 * 7168
    dense, expert, router = 3 * 7168 * 18432, 3 * 7168 * 2048, 7168 * 256 + 256
    layers = 61 * (attention + 2 * 7168) + 3 * dense + 58 * (257 * expert + router)
    assert ledger(V3).parameters == layers + 2 * 129280 * 7168 + 7168
    assert ledger(V3).active == layers - 58 * 248 * expert + 2 * 129280 * 7168 + 7168


def test_v3_cache_and_attention():
    found = ledger(V3)
    assert found.token_bytes == 70_272  # Insights into DeepSeek-V3 (2025), Table 1
    assert found.state(1000) == 70_272_000
    # one more token of context: absorbed, scores over 512 + 64 and values over 512, in 128 heads; expanded, 192 and 128
    assert found.decode(1001).flops - found.decode(1000).flops == 61 * 2 * 128 * (576 + 512)
    pairs = 100 * 101 // 2
    scores = [e.flops for e in found.prefill(100).entries if e.row.kind == "attention"]
    assert sum(scores) == 61 * 2 * 128 * pairs * (192 + 128)


def test_v3_predicts_further_tokens_with_a_whole_layer():
    rows = {row.name: row for row in ledger(V3).rows if row.section == "mtp"}
    assert rows["eh_proj"].parameters == 2 * 7168 * 7168
    assert rows["shared_head.head"].parameters == 0  # the model's own, used once more
    assert rows["shared_head.head"].flops(1, 0) == 2 * 7168 * 129280
    assert rows["router correction"].indices == (61,)
    assert "mtp" not in ledger(V3, num_nextn_predict_layers=0).sections


def test_v32_adds_an_index_to_every_layer():
    index = 1536 * 64 * 128 + 7168 * 128 + 2 * 128 + 7168 * 64
    found, context = ledger(V32), 131_072
    assert found.parameters == 671_026_419_200 + 61 * index == 671_877_929_216 + 58 * 256
    assert found.state(context) == 61 * context * (576 + 128) * 2
    assert found.state_read(context) == 61 * (2048 * 576 + context * 128) * 2
    assert found.decode(context).by_part()["index"] == 61 * 2 * (1536 * 64 * 128 + 7168 * 128 + 7168 * 64 + 64 * 128 * context)
    # short contexts: nothing to choose
    assert found.state_read(2000) == found.state(2000)


def test_v2_lite_has_no_low_rank_queries_and_no_correction():
    found = ledger(LITE)
    assert found.parameters == found.trained == 15_706_484_224
    assert {row.name for row in found.rows} >= {"q_proj", "kv_a_layernorm"}
    assert ledger(LITE, q_lora_rank=0).parameters == found.parameters
    assert found.token_bytes == 27 * 576 * 2


def test_biases_of_v2_are_where_the_reference_has_them():
    found = ledger(LITE, attention_bias=True, mlp_bias=True)
    attention, mlp = 27 * (576 + 2048), 2 * 10944 + 2048 + 26 * (2 * 2816 + 2048)
    assert found.parameters == 15_706_484_224 + attention + mlp


def test_k2():
    found = ledger(K2)
    assert found.trained == 1_026_408_209_408
    assert found.parameters - found.trained == 60 * 384
    assert found.token_bytes == 70_272


def test_glm_5_shares_the_choice_of_an_index():
    plain, shared = ledger(GLM5), ledger(GLM53)
    assert plain.trained == 743_911_199_232
    # Hub total of GLM-5.3, which holds the layer for further tokens and the biases of 76 routers
    assert sum(shared.sections.values()) == 753_329_940_480
    chosen = [row for row in shared.rows if row.name == "index scores" and row.section == "language"]
    assert sorted(i for row in chosen for i in row.indices) == [0, 1, *range(2, 78, 4)]
    keys = sum(row.layers for row in shared.state_rows if row.name == "index keys" and row.section == "language")
    assert keys == 21
    assert shared.state(5000) == 5000 * 2 * (78 * 576 + 21 * 128)
    listed = ["full" if i < 2 or i % 4 == 2 else "shared" for i in range(78)]
    assert ledger(GLM5, indexer_types=listed).sections == shared.sections
    assert ledger(GLM5, index_topk_pattern="".join(t[0].upper() for t in listed)).sections == shared.sections


@pytest.mark.parametrize(
    ("config", "fields", "message"),
    [
        (V3, {"q_lora_rank": "x"}, "q_lora_rank = 'x'"),
        (V3, {"num_key_value_heads": 8}, "num_key_value_heads = 8.*num_attention_heads = 128"),
        (V3, {"n_group": 7}, "n_routed_experts = 256 is no multiple of n_group = 7"),
        (V3, {"topk_group": 9}, "topk_group = 9 is more than n_group = 8"),
        (V3, {"num_experts_per_tok": 200}, "num_experts_per_tok = 200 is more than the 128"),
        (V3, {"num_experts": 128}, "n_routed_experts = 256, but num_experts = 128"),
        (V3, {"qk_head_dim": 128}, "qk_head_dim = 128"),
        (V3, {"moe_layer_freq": 2}, "moe_layer_freq = 2"),
        (V3, {"topk_method": "greedy"}, "topk_method = 'greedy'"),
        (V3, {"mlp_bias": True}, "mlp_bias"),
        (V3, {"layer_types": ["sliding_attention"] * 61}, "layer_types holds 'sliding_attention'"),
        (V3, {"mlp_layer_types": ["dense"] * 2 + ["sparse"] * 59}, "first_k_dense_replace = 3, but mlp_layer_types"),
        (V3, {"index_topk": 2048}, "index_topk"),
        (V32, {"q_lora_rank": None}, "q_lora_rank is null"),
        (V32, {"index_topk": None}, "index_topk is missing"),
        (GLM5, {"indexer_types": ["shared"] * 78}, "no earlier layer to share with"),
        (GLM5, {"indexer_types": ["full"] * 77}, "indexer_types has 77 items for 78 layers"),
        (GLM5, {"index_topk_pattern": "FS"}, "index_topk_pattern = 'FS'"),
    ],
)
def test_bad_fields(config, fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(config | fields)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["q_lora_rank", "kv_lora_rank", "n_routed_experts", "n_shared_experts", "first_k_dense_replace", "v_head_dim"]
)
def test_sizes_are_never_supplied(name):
    with pytest.raises(AIInfraError, match=f"{name}.* is missing"):
        architecture.load({k: v for k, v in V3.items() if k != name})


def test_what_is_open_is_said():
    silent = architecture.load({k: v for k, v in V3.items() if k != "num_nextn_predict_layers"})
    assert any("num_nextn_predict_layers is missing" in w for w in silent.warnings)
    assert any("index keys" in w for w in architecture.load(V32).warnings)
