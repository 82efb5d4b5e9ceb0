"""GPT-2 and its time: totals that are published, sums by hand, and what is refused."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

GPT2 = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257}
OPT = {
    "model_type": "opt", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "ffn_dim": 20480, "vocab_size": 50272,
    "max_position_embeddings": 2048, "word_embed_proj_dim": 5120, "torch_dtype": "float16",
}  # fmt: skip
FALCON = {"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "vocab_size": 65024}
BIG = {
    "model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8,
    "vocab_size": 65024, "new_decoder_architecture": True, "parallel_attn": True,
}  # fmt: skip
MPT = {"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "max_seq_len": 32}
BLOOM = {"model_type": "bloom", "hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100}


def parameters(given):
    return architecture.load(given).ledger().parameters


def test_gpt2():
    """124,439,808, of which each layer holds 12 d² and 13 d."""
    assert parameters(GPT2) == 124_439_808
    assert parameters(GPT2) == 12 * (12 * 768**2 + 13 * 768) + (50257 + 1024) * 768 + 2 * 768


def test_old_and_new_names_mean_the_same():
    new = {"model_type": "gpt2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "max_position_embeddings": 1024}
    assert parameters(new | {"vocab_size": 50257}) == 124_439_808


def test_gpt3_is_read_like_gpt2():
    """175 billion as published: 96 layers of 12,288 with a context of 2,048."""
    d = 12288
    model = architecture.load({"model_type": "gpt3", "n_embd": d, "n_layer": 96, "n_head": 96, "n_positions": 2048, "vocab_size": 50257})
    assert model.ledger().parameters == 96 * (12 * d**2 + 13 * d) + (50257 + 2048) * d + 2 * d
    assert round(model.ledger().parameters / 1e9) == 175
    assert "banded sparse" in model.warnings[0]


def test_opt_13b():
    """The cache of a token is 800 KB, as the PagedAttention paper has it: 819,200 B in FP16."""
    ledger = architecture.load(OPT).ledger()
    assert ledger.token_bytes == 819_200
    assert ledger.state(1) == 2 * 5120 * 40 * 2
    d = 5120
    assert ledger.parameters == 40 * (12 * d**2 + 13 * d) + (50272 + 2050) * d + 2 * d  # positions are 2,048 and two more


def test_opt_350m_has_a_narrow_token_table():
    """512 wide beside a model of 1,024; norms behind the parts, so none at the end. 331,196,416 in transformers 5.24.0."""
    given = OPT | {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "word_embed_proj_dim": 512}
    model = architecture.load(given | {"do_layer_norm_before": False})
    d = 1024
    assert model.ledger().parameters == 24 * (12 * d**2 + 13 * d) + 50272 * 512 + 2050 * d + 2 * 512 * d == 331_196_416
    head = [row for row in model.ledger().rows if row.name == "lm_head"]
    assert head[0].flops(1, 0) == 2 * 512 * 50272


def test_falcon():
    """7B: one key/value head of 64 and one norm; 40B: 8 heads of 64 and two norms; heads tied. Totals of transformers 5.24.0."""
    d = 4544
    layer = d * (d + 2 * 64) + d * d + 8 * d * d + 2 * d
    assert parameters(FALCON) == 32 * layer + 65024 * d + 2 * d == 6_921_720_704
    d = 8192
    layer = d * (d + 2 * 8 * 64) + d * d + 8 * d * d + 4 * d
    assert parameters(BIG) == 60 * layer + 65024 * d + 2 * d == 41_303_293_952
    assert architecture.load(FALCON).ledger().token_bytes == 32 * 2 * 64 * 2
    assert architecture.load(BIG).ledger().token_bytes == 60 * 2 * 8 * 64 * 2


def test_falcon_serial_with_biases():
    d = 64
    given = FALCON | {"hidden_size": d, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}
    given |= {"multi_query": False, "parallel_attn": False, "alibi": True, "bias": True}
    layer = 3 * d * d + 3 * d + d * d + d + 8 * d * d + 5 * d + 4 * d
    assert parameters(given) == 2 * layer + 100 * d + 2 * d


def test_bloom_176b():
    """176,247,271,424: a norm behind the token table, no positions."""
    given = BLOOM | {"hidden_size": 14336, "n_layer": 70, "n_head": 112, "vocab_size": 250880}
    d = 14336
    assert parameters(given) == 70 * (12 * d**2 + 13 * d) + 250880 * d + 4 * d == 176_247_271_424


def test_mpt_30b():
    """29,956,742,144 (transformers 5.24.0): no biases at all, in norms neither."""
    d = 7168
    given = MPT | {"d_model": d, "n_layers": 48, "n_heads": 64, "vocab_size": 50368, "attn_config": {"alibi": True}}
    assert parameters(given) == 48 * (12 * d**2 + 2 * d) + 50368 * d + d == 29_956_742_144


def test_neox_and_gptj():
    d = 64
    neox = {"model_type": "gpt_neox", "hidden_size": d, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256}
    assert parameters(neox | {"vocab_size": 100}) == 2 * (12 * d**2 + 13 * d) + 2 * 100 * d + 2 * d
    gptj = {"model_type": "gptj", "n_embd": d, "n_layer": 2, "n_head": 4, "vocab_size": 100}
    layer = 4 * d * d + 8 * d * d + 5 * d + 2 * d
    assert parameters(gptj) == 2 * layer + 2 * 100 * d + 100 + 2 * d
    assert parameters(gptj | {"tie_word_embeddings": True}) == 2 * layer + 100 * d + 100 + 2 * d  # the bias stays


def test_gpt_neo_has_local_layers():
    d = 64
    given = {
        "model_type": "gpt_neo", "hidden_size": d, "num_layers": 4, "num_heads": 4, "vocab_size": 100, "max_position_embeddings": 32,
        "attention_types": [[["global", "local"], 2]], "window_size": 8,
    }  # fmt: skip
    ledger = architecture.load(given).ledger()
    assert ledger.parameters == 4 * (12 * d**2 + d + 5 * d + 4 * d) + (100 + 32) * d + 2 * d
    assert ledger.state(20) == (2 * 20 + 2 * 8) * 2 * d * 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (GPT2 | {"n_head": 7}, "n_embd = 768 is no multiple of n_head = 7"),
        (GPT2 | {"hidden_size": 512}, "n_embd = 768, but hidden_size = 512"),
        (GPT2 | {"n_layer": None}, "field n_layer or num_hidden_layers is missing"),
        (GPT2 | {"add_cross_attention": True}, "add_cross_attention = True"),
        (OPT | {"ffn_dim": None}, "field ffn_dim is missing"),
        (MPT | {"expansion_ratio": 8}, "expansion_ratio = 8"),
        (MPT | {"no_bias": False}, "no_bias = False"),
        (MPT | {"attn_config": {"alibi": False}}, "attn_config: alibi = False"),
        (MPT | {"attn_config": {"attn_type": "multiquery_attention"}}, "attn_type = 'multiquery_attention'"),
        (BLOOM | {"n_inner": 100}, "n_inner = 100"),
        (BIG | {"num_kv_heads": 5}, "no multiple of num_kv_heads = 5"),
        (FALCON | {"multi_query": False, "num_kv_heads": 2}, "num_kv_heads = 2"),
        ({"model_type": "gpt_neo", "hidden_size": 64, "num_layers": 3, "num_heads": 4}, "for each of 3 layers"),
    ],
)
def test_bad_fields_are_named_in_one_line(given, said):
    with pytest.raises(AIInfraError) as caught:
        architecture.load(given)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
