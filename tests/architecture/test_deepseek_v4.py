"""DeepSeek-V4: layers summed by hand, what is compressed, what waits, and what a step reads."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

FLASH = {
    "model_type": "deepseek_v4", "hidden_size": 4096, "num_hidden_layers": 43, "num_attention_heads": 64, "num_key_value_heads": 1,
    "head_dim": 512, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 6,
    "num_hash_layers": 3, "q_lora_rank": 1024, "o_lora_rank": 1024, "o_groups": 8, "qk_rope_head_dim": 64, "hc_mult": 4,
    "index_head_dim": 128,
    "index_n_heads": 64, "index_topk": 512, "sliding_window": 128, "vocab_size": 129280, "num_nextn_predict_layers": 1,
    "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0], "torch_dtype": "bfloat16",
}  # fmt: skip
PRO = FLASH | {
    "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "moe_intermediate_size": 3072, "n_routed_experts": 384,
    "q_lora_rank": 1536, "o_groups": 16, "index_topk": 1024, "compress_ratios": [128, 128, *[4, 128] * 29, 4, 0],
}  # fmt: skip
S = 1_000_000


def ledger(config, **fields):
    return architecture.load(config | fields).ledger()


def by_hand(d, q, heads, groups, experts, f, csa, hca, layers, vocab=129280, chosen=6):
    """A layer's parts from the sizes, without the buffers."""
    attention = d * q + q + q * heads * 512 + d * 512 + 512 + heads * 512 // groups * groups * 1024 + groups * 1024 * d + heads
    mixing = 2 * (24 * 4 * d + 24 + 3)
    moe = 3 * d * f * (experts + 1) + d * experts
    both = {2: 2 * 1024 * d + 4 * 1024 + 512, 1: 2 * 512 * d + 128 * 512 + 512}  # compressors of 4 and of 128 tokens
    index = 2 * 256 * d + 4 * 256 + 128 + q * 64 * 128 + d * 64
    layer = attention + mixing + moe + 2 * d
    ends = 2 * vocab * d + d + 4 * 4 * d + 4 + 1
    further = layer + 3 * d + 2 * d * d + 4 * 4 * d + 4 + 1
    return layers * layer + csa * (both[2] + index) + hca * both[1] + ends, further


@pytest.mark.parametrize(
    ("config", "sizes", "trained", "further"),
    [
        (FLASH, (4096, 1024, 64, 8, 256, 2048, 21, 20, 43), 284_332_230_231, 6_610_048_635),
        (PRO, (7168, 1536, 128, 16, 384, 3072, 30, 31, 61), 1_572_997_179_491, 25_840_145_595),
    ],
)
def test_parameters(config, sizes, trained, further):
    found = ledger(config)
    assert (found.trained, found.sections["mtp"] - config["n_routed_experts"]) == by_hand(*sizes) == (trained, further)
    layers, experts = config["num_hidden_layers"], config["n_routed_experts"]
    assert found.parameters - found.trained == (layers - 3) * experts + 3 * 129280 * 6  # corrections, and tables of the first layers


def test_other_spellings_of_the_same():
    found = ledger(FLASH).sections
    names = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
    listed = {"layer_types": [names[r] for r in FLASH["compress_ratios"][:43]], "compress_ratios": None}
    assert ledger(FLASH, **listed).sections == found
    assert ledger(FLASH, num_hash_layers=None, mlp_layer_types=["hash_moe"] * 3 + ["moe"] * 40).sections == found
    assert ledger(FLASH, model_type="deepseek_ref").sections == found


def test_state_kept():
    window, entries, keys = 43 * 128 * 512 * 2, (21 * S // 4 + 20 * (S // 128)) * 512 * 2, 21 * S // 4 * 128 * 2
    waiting = 21 * (64 + 16) * 1024 + 20 * 512 * 1024  # bytes, as an engine lays them out: FP32, whole groups
    assert ledger(FLASH).state(S) == window + entries + keys + waiting
    # a cache in another format leaves what waits as it is
    assert architecture.load(FLASH).ledger(kv="fp8").state(S) == (window + entries + keys) / 2 + waiting


def test_state_read_in_a_step():
    window, entries = 43 * 128 * 512 * 2, (21 * 512 + 20 * (S // 128)) * 512 * 2
    keys, waiting = 21 * S // 4 * 128 * 2, 21 * 2 * (2048 + 512) * 4 + 20 * 1024 * 4
    assert ledger(FLASH).state_read(S) == window + entries + keys + waiting


def test_attention_of_a_step():
    # 64 heads, scores and values over 512 each: window, best entries or all entries; the index scores all of its own
    parts = ledger(FLASH).decode(S).entries
    work = sum(e.flops for e in parts if e.row.kind == "attention")
    assert work == 4 * 64 * 512 * (43 * 128 + 21 * 512 + 20 * (S // 128))
    assert sum(e.flops for e in parts if e.row.kind == "index") == 21 * 2 * 64 * 128 * (S // 4)


def test_output_in_groups():
    rows = [row for row in ledger(FLASH).rows if row.name == "o_a_proj" and row.section == "language"]
    assert sum(row.flops(1, 0) for row in rows) == 43 * 2 * 64 * 512 * 1024  # each head's part meets its group's width only


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"compress_ratios": [0, 8] * 22}, "compress_ratios holds 8; known: 0, 4, 128"),
        ({"compress_ratios": [4] * 10}, "compress_ratios has 10 items for 43 layers"),
        ({"compress_ratios": [4] * 44}, "compresses in layers for further tokens"),
        ({"compress_ratios": None}, "layer_types or compress_ratios is missing"),
        ({"layer_types": ["sliding_attention"] * 43}, "layer_types contradicts compress_ratios"),
        ({"num_key_value_heads": 8}, "num_key_value_heads = 8"),
        ({"o_groups": 7}, "no multiple of o_groups = 7"),
        ({"n_shared_experts": 2}, "n_shared_experts = 2"),
        ({"intermediate_size": 1024}, "intermediate_size = 1024, but moe_intermediate_size = 2048"),
        ({"mlp_layer_types": ["moe"] * 43}, "num_hash_layers = 3, but mlp_layer_types has 0"),
        ({"num_hash_layers": None}, "num_hash_layers or mlp_layer_types is missing"),
        ({"qk_rope_head_dim": 1024}, "qk_rope_head_dim = 1024 is more than head_dim = 512"),
        ({"attention_bias": True}, "attention_bias = True"),
    ],
)
def test_bad_fields(fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(FLASH | fields)
    assert "\n" not in str(caught.value)
