"""Llama-Nemotron from a search over layers: a total built layer by layer, and sums written out by hand."""

import pytest

from aiinfra import architecture
from aiinfra.errors import ConfigError

ATTENTION = {"n_heads_in_group": 8, "no_op": False, "replace_with_linear": False, "window_length": None, "sparsify": None}
NONE = {"n_heads_in_group": None, "no_op": True}
BASE = {"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": None, "vocab_size": 128256}


def block(mult, attention=ATTENTION):
    return {"attention": attention, "ffn": {"ffn_mult": mult, "no_op": False, "replace_with_linear": False, "sparsify": None}}


def config(blocks, **more):
    return BASE | {"num_hidden_layers": len(blocks), "block_configs": blocks} | more


# How often each kind of layer occurs in nvidia/Llama-3_3-Nemotron-Super-49B-v1, config.json; the order does not matter to a sum
SUPER = (
    [block(5.25)] * 48 + [block(2.625)] + [block(1.3125, NONE)] * 10 + [block(1.0, NONE)] * 8 + [block(0.5, NONE)] * 6
    + [block(2.625, NONE)] * 5 + [block(3.28125, NONE), block(5.25, NONE)]
)  # fmt: skip


def ledger(table):
    return architecture.load(table).ledger()


def test_the_49b_model():
    # Llama layers of transformers 5.24.0 on the meta device, each as block_configs says: 49,867,145,216
    book = ledger(config(SUPER))
    assert book.parameters == 49_867_145_216
    assert book.token_bytes == 49 * 2 * 8 * 128 * 2


def test_the_49b_model_by_hand():
    d = 8192
    attention = 2 * d * d + 2 * d * 1024 + d
    widths = 14336 * 6 + 28672 * 49 + 17920 + 7168 * 10 + 5632 * 8 + 2816 * 6  # two thirds of the factor, in multiples of 256
    assert ledger(config(SUPER)).parameters == 49 * attention + 3 * d * widths + 80 * d + 2 * 128256 * d + d


def test_a_layer_may_lack_both_halves():
    empty = {"attention": NONE, "ffn": {"no_op": True}}
    assert ledger(config([empty, block(1.0)])).parameters == ledger(config([block(1.0)])).parameters
    assert architecture.load(config([empty, block(1.0)])).n_layer == 2


def test_a_matrix_in_place_of_attention_or_mlp():
    linear = {"attention": {"replace_with_linear": True}, "ffn": {"replace_with_linear": True}}
    d = 8192
    assert ledger(config([linear])).parameters == 2 * d * d + 2 * d + 2 * 128256 * d + d
    assert ledger(config([linear])).token_bytes == 0
    assert any("no bias" in w for w in architecture.load(config([linear], attention_bias=True)).warnings)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (config([block(1.0)], num_hidden_layers=2), "block_configs has 1 items for 2 layers"),
        (config([block(None)]), "ffn_mult is missing"),
        (config([block(1e300)]), "ffn_mult"),
        (config([block(1e-9)]), "ffn_mult"),
        (config([block(1.0, ATTENTION | {"n_heads_in_group": 7})]), "n_heads_in_group = 7 does not divide num_attention_heads = 64"),
        (config([block(1.0, ATTENTION | {"window_length": 128})]), "window_length = 128"),
        (config([block(1.0, ATTENTION | {"num_sink_tokens": 4})]), "num_sink_tokens = 4"),
        (config([block(1.0)], num_key_value_heads=8), "num_key_value_heads = 8"),
        (config([block(1.0)], block_configs=["a"]), "block_configs[0]"),
        (config([{"attention": ATTENTION}]), "ffn is missing"),
    ],
)
def test_a_bad_field_gives_one_line(table, text):
    with pytest.raises(ConfigError) as error:
        architecture.load(table)
    assert text in str(error.value) and "\n" not in str(error.value)
