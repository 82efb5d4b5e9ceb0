"""MiniMax Text-01, M2 and M3: published totals, states of lightning attention, attention to chosen blocks, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.architecture.rows import Reach
from aiinfra.errors import AIInfraError

TEXT01 = {
    "model_type": "minimax", "hidden_size": 6144, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 9216, "num_local_experts": 32, "num_experts_per_tok": 2, "vocab_size": 200064,
    "layer_types": ["full_attention" if i % 8 == 7 else "linear_attention" for i in range(80)],
}  # fmt: skip
M2 = {
    "model_type": "minimax_m2", "hidden_size": 3072, "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8,
    "head_dim": 128, "intermediate_size": 1536, "num_local_experts": 256, "num_experts_per_tok": 8, "vocab_size": 200064,
    "use_qk_norm": True,
    "qk_norm_type": "per_layer", "use_routing_bias": True, "shared_intermediate_size": 0,
}  # fmt: skip
SPARSE = [0] * 3 + [1] * 57
M3 = {
    "model_type": "minimax_m3", "hidden_size": 6144, "num_hidden_layers": 60, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 128, "intermediate_size": 3072, "dense_intermediate_size": 12288, "shared_intermediate_size": 3072, "n_shared_experts": 1,
    "num_local_experts": 128, "num_experts_per_tok": 4, "vocab_size": 200064, "use_routing_bias": True, "moe_layer_freq": SPARSE,
    "sparse_attention_config": {
        "use_sparse_attention": True, "sparse_num_index_heads": 4, "sparse_index_dim": 128, "sparse_block_size": 128,
        "sparse_topk_blocks": 16,
        "sparse_local_block": 1, "sparse_init_block": 0, "sparse_attention_freq": SPARSE, "sparse_disable_index_value": SPARSE,
    },
}  # fmt: skip
M3_VL = {
    "model_type": "minimax_m3_vl", "projector_hidden_size": 6144, "text_config": {k: v for k, v in M3.items() if k != "model_type"},
    "vision_config": {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32, "num_attention_heads": 16, "patch_size": 14},
}  # fmt: skip


def test_text01():
    found = architecture.load(TEXT01).ledger()
    assert found.parameters == found.trained == 456_089_655_296  # Hub, tensor total of MiniMax-M1
    numbers = {"layer_types": None, "attn_type_list": [int(i % 8 == 7) for i in range(80)], "model_type": "minimax_text_01"}
    assert architecture.load(TEXT01 | numbers).ledger().parameters == found.parameters
    assert found.token_bytes == 10 * 2 * 8 * 128 * 2
    assert found.fixed_bytes == 70 * 64 * 128 * 128 * 2
    linear = [e for e in found.decode(1000).entries if e.row.part == "recurrent"]
    assert sum(e.flops for e in linear) == 70 * (2 * 5 * 6144 * 8192 + 5 * 64 * 128 * 128)  # q, k, v, gate, output; the state


def test_m2():
    found = architecture.load(M2).ledger()
    assert found.parameters == 228_689_764_864  # Hub, tensor total of M2.7
    assert found.parameters - found.trained == 62 * 256
    assert found.token_bytes == 62 * 2048 * 2
    named = architecture.load(M2 | {"use_mtp": True, "num_mtp_modules": 3, "mtp_transformer_layers": 1})
    assert named.ledger().sections == found.sections
    assert any("predict further tokens" in w for w in named.warnings)


def test_m3_with_its_tower():
    found = architecture.load(M3_VL).ledger()
    assert sum(found.sections.values()) == 427_040_140_160  # Hub, tensor total
    assert found.parameters == architecture.load(M3).ledger().parameters == 426_174_565_632 + 57 * 128
    assert (found.sections["vision"], found.sections["projector"]) == (631_185_920, 234_381_312)


@pytest.mark.parametrize(("block", "best"), [(4, 1), (4, 3), (128, 16), (1, 5)])
def test_chosen_blocks_one_by_one(block, best):
    reach, pairs = Reach("blocks", block, best), 0
    for position in range(40 * block if block < 100 else 3000):
        own = position // block
        met = (min(best, own + 1) - 1) * block + position % block + 1
        pairs += met
        assert reach.entries(position + 1) == met
        assert reach.pairs(position + 1) == pairs
    assert reach.entries(0) == reach.pairs(0) == 0


def test_m3_state_and_attention():
    found, context = architecture.load(M3).ledger(), 100_000
    assert found.token_bytes == 2 * (60 * 1024 + 57 * 128)
    met = 15 * 128 + (context - 1) % 128 + 1
    assert found.state_read(context) == 2 * (3 * context * 1024 + 57 * (met * 1024 + context * 128))
    entries = found.decode(context).entries
    assert sum(e.flops for e in entries if e.row.kind == "attention") == 4 * 64 * 128 * (3 * context + 57 * met)
    assert sum(e.flops for e in entries if e.row.kind == "index") == 57 * 2 * 4 * 128 * context


@pytest.mark.parametrize(
    ("config", "fields", "message"),
    [
        (TEXT01, {"layer_types": None}, "layer_types or attn_type_list is missing"),
        (TEXT01, {"attn_type_list": [1] * 80}, "layer_types contradicts attn_type_list"),
        (TEXT01, {"shared_intermediate_size": 512}, "shared_intermediate_size = 512"),
        (M2, {"attn_type_list": [0] * 62}, "attn_type_list"),
        (M2, {"num_experts_per_tok": 300}, "num_experts_per_tok = 300 is more than num_local_experts = 256"),
        (M2, {"qk_norm_type": "per_head"}, "qk_norm_type = 'per_head'"),
        (M2, {"head_dim": None}, "head_dim is missing"),
        (M3, {"moe_layer_freq": None}, "mlp_layer_types or moe_layer_freq is missing"),
        (M3, {"first_k_dense_replace": 5}, "moe_layer_freq and first_k_dense_replace contradict each other"),
        (M3, {"moe_intermediate_size": 1024}, "intermediate_size = 3072, but moe_intermediate_size = 1024"),
        (M3, {"attention_output_gate": True}, "attention_output_gate = True"),
        (M3, {"sparse_attention_config": None}, "layer_types or sparse_attention_config is missing"),
        (M3, {"num_key_value_heads": 8}, "4 index heads, but num_key_value_heads = 8"),
        (
            M3,
            {"sparse_attention_config": M3["sparse_attention_config"] | {"sparse_disable_index_value": [0] * 60}},
            "sparse_disable_index_value",
        ),
        (M3, {"layer_types": ["full_attention"] * 60}, "layer_types contradicts"),
    ],
)
def test_bad_fields(config, fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(config | fields)
    assert "\n" not in str(caught.value)
