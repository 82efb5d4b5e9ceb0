"""Gemma 3n and Gemma 4: totals of transformers 5.24.0 on the meta device, and sums written out by hand."""

import pytest

from aiinfra import architecture
from aiinfra.errors import ConfigError

HEADS = {"hidden_size": 64, "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 128}
INPUTS = {"vocab_size_per_layer_input": 96, "hidden_size_per_layer_input": 8, "intermediate_size": 96, "sliding_window": 8}
GEMMA4 = HEADS | INPUTS | {
    "model_type": "gemma4_text", "layer_types": ["sliding_attention", "full_attention"] * 3, "num_kv_shared_layers": 2,
    "global_head_dim": 32, "attention_k_eq_v": True, "num_global_key_value_heads": 1, "enable_moe_block": True, "num_experts": 4,
    "top_k_experts": 2,
    "moe_intermediate_size": 24, "use_double_wide_mlp": True,
}  # fmt: skip
GEMMA3N = HEADS | INPUTS | {
    "model_type": "gemma3n_text", "layer_types": ["sliding_attention", "sliding_attention", "full_attention"] * 2,
    "num_kv_shared_layers": 3, "laurel_rank": 4, "altup_num_inputs": 3, "activation_sparsity_pattern": [0.0] * 6,
}  # fmt: skip
# google/gemma-4-26B-A4B, config.json, text_config
G26 = {
    "model_type": "gemma4_text", "hidden_size": 2816, "num_hidden_layers": 30, "num_attention_heads": 16, "num_key_value_heads": 8,
    "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 2, "attention_k_eq_v": True, "enable_moe_block": True,
    "num_experts": 128, "top_k_experts": 8, "moe_intermediate_size": 704, "intermediate_size": 2112, "sliding_window": 1024,
    "hidden_size_per_layer_input": 0, "vocab_size": 262144, "tie_word_embeddings": True, "num_kv_shared_layers": 0,
}  # fmt: skip
# nvidia/Gemma-4-31B-IT, config.json, text_config
G31 = {
    "model_type": "gemma4_text", "hidden_size": 5376, "num_hidden_layers": 60, "num_attention_heads": 32, "num_key_value_heads": 16,
    "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 4, "attention_k_eq_v": True, "enable_moe_block": False,
    "intermediate_size": 21504, "sliding_window": 1024, "hidden_size_per_layer_input": 0, "vocab_size": 262144, "tie_word_embeddings": True,
}  # fmt: skip


def ledger(config):
    return architecture.load(config).ledger()


@pytest.mark.parametrize(("config", "total"), [(GEMMA4, 371_408), (GEMMA3N, 218_160), (G26, 25_233_141_760), (G31, 30_697_345_280)])
def test_parameters_are_those_of_transformers(config, total):
    assert ledger(config).trained == total


def test_values_made_from_keys_are_kept_beside_them():
    # transformers 5.24.0 keeps keys (1, 1, S, 32) and values (1, 1, S, 32) in a global layer that has no v_proj
    found = [r for r in ledger(GEMMA4).rows if r.part == "attention" and r.kind == "matrix"]
    assert sum(r.layers for r in found if r.name == "v_proj") == 2  # the local layers that have a cache of their own
    assert sum(r.layers for r in found if r.name == "k_proj") == 4
    assert ledger(GEMMA4).token_bytes == 2 * 2 * 1 * 32 * 2


def test_shared_caches_are_stored_once_and_read_often():
    book = ledger(GEMMA4)
    local, full = 2 * 2 * 16 * 2, 2 * 1 * 32 * 2  # bytes of an entry
    assert book.state(100) == 2 * 8 * local + 2 * 100 * full
    assert book.state_read(100) == 3 * 8 * local + 3 * 100 * full


def test_layers_that_share_may_have_a_wider_mlp():
    shapes = [r.shape for r in ledger(GEMMA4).rows if r.name == "up_proj" for _ in range(r.layers)]
    assert sorted(shapes) == ["64 × 192"] * 2 + ["64 × 96"] * 4


def test_a_layer_of_the_26b_by_hand():
    d = 2816
    local = d * 16 * 256 * 2 + 2 * d * 8 * 256 + 2 * 256
    full = d * 16 * 512 * 2 + d * 2 * 512 + 2 * 512
    rest = 3 * d * 2112 + 128 * 3 * d * 704 + d * 128 + d + 128 + 7 * d
    assert ledger(G26).trained == 25 * local + 5 * full + 30 * rest + 262144 * d + d


def test_a_layer_of_the_31b_by_hand():
    d = 5376
    local = d * 32 * 256 * 2 + 2 * d * 16 * 256 + 2 * 256
    full = d * 32 * 512 * 2 + d * 4 * 512 + 2 * 512
    assert ledger(G31).trained == 50 * local + 10 * full + 60 * (3 * d * 21504 + 4 * d) + 262144 * d + d


def test_per_layer_inputs_have_a_table_of_their_own():
    found = {r.name: r for r in ledger(GEMMA3N).rows}
    assert found["embed_tokens_per_layer"].shape == "96 × 48" and found["embed_tokens_per_layer"].kind == "table"
    assert found["per_layer_model_projection"].shape == "64 × 48"
    gates = [r for r in ledger(GEMMA3N).rows if r.name == "per_layer_input_gate"]
    assert {r.shape for r in gates} == {"64 × 8"} and sum(r.layers for r in gates) == 6


def test_altup_by_hand():
    book = ledger(GEMMA3N)
    layer = 64 * 3 + 3 * 9 + 3 * 3 + 64
    assert sum(r.parameters for r in book.rows if r.part == "altup") == 6 * layer + 2 * 2 * 64 * 64
    # its router works twice; 2 × inputs × outputs of all linear layers for 12 tokens in transformers 5.24.0
    assert sum(e.flops for e in book.prefill(12, logits="all").entries if e.row.kind == "matrix") == 5_073_984


def test_layers_may_be_described_one_by_one():
    single = {"1": {"head_dim": 32, "num_key_value_heads": 1}, "03": {"head_dim": 32, "num_key_value_heads": 1},
              "5": {"head_dim": 32, "num_key_value_heads": 1}}  # fmt: skip
    plain = {k: v for k, v in GEMMA4.items() if k not in ("global_head_dim", "num_global_key_value_heads")}
    assert ledger(plain | {"per_layer_config": single}).trained == 371_408


def test_the_towers_of_gemma_3n_are_said_to_be_left_out():
    model = architecture.load({"model_type": "gemma3n", "text_config": GEMMA3N, "vision_config": {"hidden_size": 8}, "audio_config": {}})
    assert model.ledger().sections == {"language": 218_160}
    assert [w for w in model.warnings if "left out" in w] == [
        "vision_config: this tower is left out",
        "audio_config: this tower is left out",
    ]


@pytest.mark.parametrize(
    ("config", "change", "text"),
    [
        (GEMMA4, {"num_kv_shared_layers": 6}, "num_kv_shared_layers = 6"),
        (GEMMA4, {"num_kv_shared_layers": 5}, "num_kv_shared_layers = 5"),  # no global layer has a cache of its own
        (GEMMA4, {"layer_types": ["full_attention", "sliding_attention"] * 3}, "layer_types ends in sliding_attention"),
        (GEMMA4, {"num_global_key_value_heads": 3}, "num_global_key_value_heads = 3"),
        (GEMMA4, {"use_bidirectional_attention": "all"}, "use_bidirectional_attention"),
        (GEMMA4, {"sliding_window": None}, "sliding_window is missing"),
        (GEMMA4, {"num_experts": None}, "num_experts is missing"),
        (GEMMA4, {"top_k_experts": 5}, "top_k_experts"),
        (GEMMA4, {"per_layer_config": {"9": {}}}, "per_layer_config"),
        (GEMMA3N, {"intermediate_size": [96] * 5}, "intermediate_size has 5 items for 6 layers"),
        (GEMMA3N, {"hidden_size_per_layer_input": 0}, "hidden_size_per_layer_input"),
        (GEMMA3N, {"laurel_rank": None}, "laurel_rank is missing"),
    ],
)
def test_a_bad_field_gives_one_line(config, change, text):
    with pytest.raises(ConfigError) as error:
        architecture.load(config | change)
    assert text in str(error.value) and "\n" not in str(error.value)
