"""Mixtures of experts on Llama's layers: published totals, active parameters, patterns of layers, and what is refused."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError


def config(model_type, d=64, layers=4, heads=4, kv=2, ff=96, vocab=100, **fields):
    return {
        "model_type": model_type, "hidden_size": d, "num_hidden_layers": layers, "num_attention_heads": heads,
        "num_key_value_heads": kv, "intermediate_size": ff, "vocab_size": vocab,
    } | fields  # fmt: skip


QWEN3 = {"num_experts_per_tok": 8, "head_dim": 128}
OSS = {"head_dim": 64, "num_experts_per_tok": 4}
MIXTRAL = config("mixtral", 4096, 32, 32, 8, 14336, 32000, num_local_experts=8, num_experts_per_tok=2)
PUBLISHED = [  # parameters of the published safetensors
    (MIXTRAL, 46_702_792_704),
    (config("mixtral", 6144, 56, 48, 8, 16384, 32000, num_local_experts=8, num_experts_per_tok=2), 140_620_634_112),
    (config("qwen3_moe", 2048, 48, 32, 4, 6144, 151936, num_experts=128, moe_intermediate_size=768, **QWEN3), 30_532_122_624),
    (config("qwen3_moe", 4096, 94, 64, 4, 12288, 151936, num_experts=128, moe_intermediate_size=1536, **QWEN3), 235_093_634_560),
    (config("gpt_oss", 2880, 24, 64, 8, 2880, 201088, num_local_experts=32, **OSS), 20_914_757_184),
    (config("gpt_oss", 2880, 36, 64, 8, 2880, 201088, num_local_experts=128, **OSS), 116_829_156_672),
]


@pytest.mark.parametrize(("given", "total"), PUBLISHED)
def test_published_totals(given, total):
    assert architecture.load(given).ledger().parameters == total


def test_mixtral_active():
    """Two experts of eight: 12,879,925,248 of 46,702,792,704 serve a token, tables counted whole."""
    ledger = architecture.load(MIXTRAL).ledger()
    expert = 3 * 4096 * 14336
    assert ledger.active == 12_879_925_248 == ledger.parameters - 32 * 6 * expert


PLAIN = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 64  # q, k, v, o and two norms
TABLES = 2 * 100 * 64 + 64
EXPERT = 3 * 64 * 96
SMALL = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
LAYERS = [
    (config("mixtral", num_local_experts=6, num_experts_per_tok=2), 4 * (PLAIN + 64 * 6 + 6 * EXPERT) + TABLES),
    (config("olmoe", num_experts=6, num_experts_per_tok=2), 4 * (PLAIN + 64 + 32 + 64 * 6 + 6 * EXPERT) + TABLES),
    (config("granitemoe", num_local_experts=6, num_experts_per_tok=2), 4 * (PLAIN + 64 * 6 + 6 * EXPERT) + TABLES),
    (
        config("phimoe", num_local_experts=6, num_experts_per_tok=2, attention_bias=True, lm_head_bias=True),
        4 * (PLAIN + 128 + 64 + 32 + 32 + 64 + 64 * 6 + 6 * EXPERT) + TABLES + 64 + 100,
    ),
    (  # a shared expert behind a gate; biases of q, k, v
        config("qwen2_moe", shared_expert_intermediate_size=40, **SMALL),
        4 * (PLAIN + 64 + 32 + 32 + 64 * 6 + 6 * 3 * 64 * 24 + 3 * 64 * 40 + 64) + TABLES,
    ),
    (  # every second layer has experts, and the last of these is set to a plain MLP
        config("qwen3_moe", decoder_sparse_step=2, mlp_only_layers=[3], **SMALL),
        4 * (PLAIN + 32) + (64 * 6 + 6 * 3 * 64 * 24) + 3 * EXPERT + TABLES,
    ),
    (  # biases everywhere and a sink for each head
        config("gpt_oss", num_local_experts=6, num_experts_per_tok=2, head_dim=16),
        4 * (PLAIN + 64 + 32 + 32 + 64 + 4 + 65 * 6 + 6 * (EXPERT + 96 + 96 + 64)) + TABLES,
    ),
    (
        config("hunyuan_v1_moe", num_experts=6, moe_topk=2),
        4 * (PLAIN + 32 + 64 * 6 + 7 * EXPERT) + TABLES,
    ),
    (  # the first layer is plain; a correction per expert; tied
        config("ernie4_5_moe", moe_num_experts=6, moe_k=2, moe_intermediate_size=24, moe_num_shared_experts=2),
        4 * PLAIN + EXPERT + 3 * (64 * 6 + 6 + 8 * 3 * 64 * 24) + 100 * 64 + 64,
    ),
]


@pytest.mark.parametrize(("given", "total"), LAYERS, ids=[g["model_type"] for g, _ in LAYERS])
def test_what_a_family_adds(given, total):
    assert architecture.load(given).ledger().parameters == total


def test_gpt_oss_alternates_windows():
    """20B in BF16: 12 layers keep all tokens, 12 keep 128; a token is 2 × 8 × 64 elements in each."""
    ledger = architecture.load(PUBLISHED[4][0]).ledger()
    assert ledger.state(10_000) == 12 * (10_000 + 128) * 2 * 8 * 64 * 2
    assert ledger.token_bytes == 12 * 2 * 8 * 64 * 2
    sinks = [row for row in ledger.rows if row.name == "sinks"]
    assert sum(row.parameters for row in sinks) == 24 * 64


def test_flops_of_chosen_experts():
    """A decode step passes 2 of 8 experts: 2 FLOP for each of their weights, and for those of router and the rest."""
    work = architecture.load(MIXTRAL).ledger().decode(1)
    assert work.by_part()["experts"] == 32 * 2 * (2 * 3 * 4096 * 14336) + 32 * 2 * 4096 * 8


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (config("mixtral", num_local_experts=2, num_experts_per_tok=3), "num_experts_per_tok = 3 is more than num_local_experts = 2"),
        (config("mixtral", num_experts_per_tok=2), "field num_local_experts or num_experts is missing"),
        (config("qwen3_moe", num_experts=6, num_experts_per_tok=2), "field moe_intermediate_size is missing"),
        (config("qwen3_moe", mlp_only_layers=["a"], **SMALL), "mlp_only_layers = ['a']"),
        (config("qwen3_moe", shared_expert_intermediate_size=8, **SMALL), "shared_expert_intermediate_size = 8"),
        (config("qwen2_moe", **SMALL), "field shared_expert_intermediate_size is missing"),
        (config("qwen3_moe", ff=None, decoder_sparse_step=2, **SMALL), "intermediate_size is missing, and layer 0 has no experts"),
        (config("hunyuan_v1_moe", num_experts=6, moe_topk=[2, 2, 3, 2]), "moe_topk = [2, 2, 3, 2]"),
        (config("hunyuan_v1_moe", num_experts=6, moe_topk=2, num_shared_expert=2), "num_shared_expert = 2"),
    ],
)
def test_bad_fields_are_named_in_one_line(given, said):
    with pytest.raises(AIInfraError) as caught:
        architecture.load(given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
