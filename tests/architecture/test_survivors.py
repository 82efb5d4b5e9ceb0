"""Numbers worked out by hand where a small slip in the code would pass all other tests."""

import copy
import pickle

import pytest
from small import BASE, MLA, SMALL

from aiinfra import architecture, errors, formula, model
from aiinfra.architecture.config import Config
from aiinfra.architecture.families.moe import experts
from aiinfra.architecture.names import numbered
from aiinfra.architecture.rows import Reach, StateRow

LLAMA = BASE | {"model_type": "llama"}


def load(family, **fields):
    return architecture.load(SMALL[family] | fields)


def shapes(found, **more):
    """Input × output of every matrix, by name."""
    return {row.name: row.shape for row in found.rows if row.kind == "matrix"} | more


# Weights that a step reads


def test_a_tied_table_is_stored_once_and_read_twice():
    ledger = model("llama-3.2-1b").ledger()
    assert ledger.bytes == 2 * ledger.parameters
    assert ledger.active == ledger.parameters
    assert ledger.decode(100, batch=3).weight_read == 2 * (ledger.parameters + 3 * 2048)  # the head reads all rows, the look-up three


def test_a_prompt_looks_each_row_of_the_table_up_once():
    ledger = model("llama-3.1-8b").ledger()
    assert ledger.prefill(1000).weight_read == ledger.bytes - 2 * (128256 - 1000) * 4096
    assert ledger.prefill(500_000).weight_read == ledger.bytes


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_a_step_reads_the_experts_that_its_batch_touches(batch):
    attention = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 8 * 4096 + 2 * 4096  # with the router and two norms
    touched = 8 * (1 - (6 / 8) ** batch)
    read = 32 * (attention + touched * 3 * 4096 * 14336) + 4096 + (32000 + batch) * 4096
    assert model("mixtral-8x7b").ledger().decode(100, batch=batch).weight_read == pytest.approx(2 * read, rel=1e-12)


def test_several_steps_read_as_often():
    ledger = model("mixtral-8x7b").ledger()
    assert ledger.decode(100, batch=5, steps=3).weight_read == pytest.approx(3 * ledger.decode(100, batch=5).weight_read)


def test_a_position_table_gives_one_row_for_each_token():
    ledger = model("gpt-2").ledger()
    rows = (50257 + 1024) * 768
    assert ledger.decode(10, batch=2).weight_read == ledger.bytes - 2 * rows + 2 * (2 * 2 * 768) + 2 * 50257 * 768


def test_all_rows_take_a_plain_format():
    ledger = model("olmo-2-7b").ledger(weights="fp16")  # published in FP32
    assert ledger.bytes == 2 * ledger.parameters


# State


def test_every_token_is_written_even_where_a_window_soon_drops_it():
    ledger = model("mistral-7b").ledger()
    entry = 32 * 2 * 8 * 128 * 2
    assert ledger.decode(10_000).state_written == entry
    assert ledger.prefill(10_000).state_written == 10_000 * entry


def test_a_recurrent_state_is_written_in_every_step():
    ledger = model("mamba2-2.7b").ledger()
    assert ledger.decode(10, batch=2, steps=3).state_written == 6 * ledger.fixed_bytes
    assert ledger.decode(10, batch=2, steps=3).state_read == 6 * ledger.fixed_bytes


def test_what_is_cached_is_read_as_a_step_reads_it():
    ledger = model("deepseek-v3.2").ledger()  # of 10,000 vectors the index chooses 2,048
    read = 61 * 2 * (2048 * 576 + 10_000 * 128)
    assert ledger.state_read(10_000) == read
    assert ledger.prefill(5, batch=3, cached=10_000).state_read == 3 * read
    assert ledger.state(10_000) == 61 * 2 * 10_000 * (576 + 128)


def test_a_cache_in_fp8_holds_index_keys_too():
    assert model("deepseek-v3.2").ledger(kv="fp8").token_bytes == 61 * (576 + 128)


def test_a_layer_without_a_cache_reads_that_of_another():
    found = load("gemma3n_text", num_kv_shared_layers=2, num_hidden_layers=6, layer_types=["sliding_attention", "full_attention"] * 3)
    entry = 2 * 2 * 16 * 2  # keys and values of two heads
    assert found.ledger().state(1000) == entry * (2 * 32 + 2 * 1000)
    assert found.ledger().state_read(1000) == entry * (3 * 32 + 3 * 1000)


def test_compressed_entries_count_in_part():
    ledger = model("deepseek-v4-flash").ledger()
    kinds = {4: 21, 128: 20}
    assert ledger.token_bytes == 2 * (kinds[4] * (512 + 128) / 4 + kinds[128] * 512 / 128)


def test_compressing_reads_its_waiting_tokens_once_a_group():
    ledger = model("deepseek-v4-flash").ledger()
    rows = {(row.part, row.layers): row for row in ledger.state_rows if row.name == "waiting"}
    wide = {("attention", 21): (8, 2 * 2 * 512), ("index", 21): (8, 2 * 2 * 128), ("attention", 20): (128, 2 * 512)}
    for (part, layers), (held, elements) in wide.items():
        found = rows.get((part, layers)) or next(r for r in ledger.state_rows if r.name == "waiting" and r.part == part)
        same = [r for r in ledger.state_rows if r.name == "waiting" and r.part == part and r.entry(2) == 4 * elements]
        assert sum(r.layers for r in same) == layers, found
        assert sum(r.bytes(10_000, 2) for r in same) == layers * held * elements * 4
        assert sum(r.bytes_read(10_000, 2) for r in same) == layers * held * elements * 4 / (4 if held == 8 else 128)


def test_pages_of_windows_and_chunks():
    chunked = StateRow("attention", "kv", "8", "scores", Reach("chunk", 64))
    assert chunked.paged(1000, 2, 16, "unified") == 63 * 16 * 16
    assert chunked.paged(1000, 2, 16, "capped") == 3 * 16 * 16  # 1000 is the 40th of its chunk
    window = StateRow("attention", "kv", "8", "scores", Reach("window", 33))
    assert window.paged(1000, 2, 16, "capped") == 3 * 16 * 16  # 33 positions touch three pages at most
    assert StateRow("attention", "kv", "8", "scores", Reach("window", 34)).paged(1000, 2, 16, "capped") == 4 * 16 * 16


def test_convolutions_keep_the_format_of_the_model():
    ledger = model("qwen3-next-80b-a3b").ledger(kv="fp8")
    assert ledger.fixed_bytes == 36 * (32 * 128 * 128 * 4 + 8192 * 4 * 2)
    assert load("lfm2").ledger(kv="fp8").fixed_bytes == load("lfm2").ledger().fixed_bytes
    text = model("minimax-text-01").ledger(kv="fp8")
    assert text.fixed_bytes == 70 * 64 * 128 * 128 * 2


# Operations


def test_expanding_in_a_decode_step_starts_from_what_is_cached():
    ledger = model("deepseek-v3").ledger()
    matrix, pair = 2 * 512 * 128 * 256, 2 * 128 * (192 + 128)
    absorbed = ledger.decode(1000, latent="absorbed").flops - 61 * 1000 * 2 * 128 * (576 + 512)
    assert ledger.decode(1000, latent="expanded").flops == absorbed + 61 * (999 * matrix + 1000 * pair)
    assert ledger.prefill(1, cached=999, latent="expanded").flops == ledger.decode(1000, latent="expanded").flops
    assert ledger.prefill(1, cached=999, latent="absorbed").flops == ledger.decode(1000).flops


def test_training_repeats_the_layers_but_not_the_head():
    ledger = model("llama-3.1-8b").ledger()
    forward = ledger.prefill(100, logits="all").flops
    head = 2 * 100 * 4096 * 128256
    assert ledger.training(100, recompute="full").flops == 3 * forward + forward - head
    assert ledger.training(100, recompute="attention").flops == 3 * forward + 32 * 4 * 32 * 128 * 5050


def test_an_answer_starts_where_its_prompt_ends():
    ledger = model("llama-3.1-8b").ledger()
    work = ledger.answer(50, 4)
    assert work.flops == ledger.prefill(50).flops + sum(ledger.decode(50 + i).flops for i in (1, 2, 3))
    assert work.state_read == sum(ledger.state_read(50 + i) for i in (1, 2, 3))


# Shapes: parameters and operations do not tell an input from an output


SHAPES = {
    "deepseek-v3.2": {
        "q_a_proj": (7168, 1536), "q_b_proj": (1536, 128 * 192), "kv_a_proj_with_mqa": (7168, 576), "kv_b_proj": (512, 128 * 256),
        "o_proj": (128 * 128, 7168), "wq_b": (1536, 64 * 128), "wk": (7168, 128), "weights_proj": (7168, 64), "down_proj": (18432, 7168),
        "up_proj": (7168, 18432), "experts down_proj": (2048, 7168), "experts up_proj": (7168, 2048), "shared down_proj": (2048, 7168),
        "router": (7168, 256), "eh_proj": (2 * 7168, 7168), "lm_head": (7168, 129280), "shared_head.head": (7168, 129280),
    },
    "llama-3.1-8b": {"k_proj": (4096, 1024), "o_proj": (4096, 4096), "gate_proj": (4096, 14336), "down_proj": (14336, 4096)},
    "gemma-4-31b": {"q_proj": (5376, 32 * 512), "o_proj": (32 * 512, 5376)},  # of the last kind of layer, the global ones
    "mimo-v2-flash": {"o_proj": (64 * 128, 4096), "q_proj": (4096, 64 * 192)},
    "kimi-linear-48b-a3b": {
        "f_a_proj": (2304, 128), "f_b_proj": (128, 4096), "g_a_proj": (2304, 128), "g_b_proj": (128, 4096), "b_proj": (2304, 32),
    },
    "kimi-k3": {"latent down": (7168, 3584), "latent up": (3584, 7168), "experts down_proj": (3072, 3584)},
    "nemotron-3-super-120b-a12b": {"latent down": (4096, 1024), "latent up": (1024, 4096), "out_proj": (8192, 4096)},
    "qwen3-next-80b-a3b": {"in_proj_qkvz": (2048, 12288), "in_proj_ba": (2048, 64), "out_proj": (4096, 2048), "shared gate": (2048, 1)},
    "deepseek-v4-flash": {
        "o_a_proj": (64 * 512 // 8, 8 * 1024), "o_b_proj": (8 * 1024, 4096), "e_proj": (4096, 4096),
        "attn_hc.fn": (4 * 4096, 24), "hc_head.hc_fn": (4 * 4096, 4),
    },
    "gpt-2": {"c_attn": (768, 2304), "c_fc": (768, 3072), "c_proj": (3072, 768)},
}  # fmt: skip


@pytest.mark.parametrize("key", SHAPES)
def test_shapes(key):
    found = shapes(model(key).ledger())
    for name, (d_in, d_out) in SHAPES[key].items():
        assert found[name] == f"{d_in:,} × {d_out:,}", name


def test_tables_have_a_row_for_each_token_and_position():
    found = {row.name: row.shape for row in model("opt-13b").ledger().rows if row.kind == "table"}
    assert found == {"embed_tokens": "50,272 × 5,120", "position table": "2,050 × 5,120"}


# Families


def test_latent_attention_with_biases():
    plain, biased = (load("deepseek_v3", attention_bias=bias).ledger().parameters for bias in (False, True))
    assert biased - plain == 4 * (48 + 32 + 8 + 64)  # of both projections down, and of the output


def test_experts_of_contradicting_numbers_are_refused():
    with pytest.raises(errors.ConfigError, match="num_local_experts = 8, but num_experts = 16"):
        load("mixtral", num_experts=16)
    assert experts(Config({"num_experts": 8, "k": 2}), ("num_experts",), ("k",), d_expert=3).n_chosen == 2


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("model.layers.3.mlp", ("model.", "3", "mlp")),
        ("layers.3.mlp", ("", "3", "mlp")),
        ("mtp.layers.0.attn.q", ("mtp.", "0", "attn.q")),
        ("mtp.0.layers.1.attn", ("mtp.", "0", "layers.1.attn")),
        ("model.mtp.2.ffn", ("model.mtp.", "2", "ffn")),
        ("transformer.h.11.attn", ("transformer.", "11", "attn")),
        ("model.layers.3", ("model.", "3", "*")),
        ("model.layers.3.", ("model.", "3", "*")),
        ("model.layers.3*", ("model.", "3", "*")),
        ("model.players.3.mlp", None),
        ("model.layers.*.mlp", None),
        ("lm_head", None),
    ],
)
def test_names_of_layers(name, parts):
    assert numbered(name) == parts


def test_the_first_of_two_layers_has_the_window_in_qwen2_moe():
    found = load("qwen2_moe", use_sliding_window=True, sliding_window=32, max_window_layers=3)
    assert [row.reach.size for row in sorted(found.rows(), key=lambda r: r.indices) if row.kind == "attention"] == [32, 0]
    assert sorted(row.indices for row in found.rows() if row.kind == "attention") == [(0, 2), (1, 3)]


def test_every_second_layer_of_llama4_has_experts():
    found = load("llama4_text", interleave_moe_layer_step=2, moe_layers=None)
    assert {row.indices for row in found.rows() if row.name == "experts up_proj"} == {(1,), (3,)}  # a chunked and a full layer


def test_cohere2_has_one_norm_a_layer():
    assert sum(row.parameters for row in load("cohere2").rows() if row.kind == "vector") == 5 * 64


def test_shapes_of_projectors_and_towers():
    found = shapes(load("mistral3").ledger())
    assert found["patch_merger.merging_layer"] == "128 × 32"
    found = shapes(load("gemma3").ledger())
    assert [found[name] for name in ("attention.in_proj", "attention.out_proj", "mlp.fc1")] == ["32 × 96", "32 × 32", "32 × 64"]


def reaches(found):
    return [size for _, size in sorted((i, row.reach.size) for row in found.rows() if row.kind == "attention" for i in row.indices)]


def test_a_window_that_is_not_in_use():
    assert reaches(load("qwen2", sliding_window=8, max_window_layers=2, use_sliding_window=True)) == [0, 0, 8, 8]
    assert reaches(load("qwen2", sliding_window=8, max_window_layers=2)) == [0] * 4


def test_which_layers_have_experts():
    for found, layers in (
        (load("kimi_linear", moe_layer_freq=2), {2}),  # the first is dense
        (load("qwen3_next", decoder_sparse_step=2), {1, 3}),
        (load("qwen3_moe", decoder_sparse_step=2), {1, 3}),
    ):
        assert {i for row in found.rows() if row.name == "experts up_proj" for i in row.indices} == layers


def test_heads_of_a_layer_that_a_search_chose():
    block = {"attention": {"n_heads_in_group": 1}, "ffn": {"ffn_mult": 1.0}}
    found = load("nemotron-nas", num_hidden_layers=4, block_configs=[block] * 4)
    assert found.ledger().token_bytes == 4 * 2 * 4 * 16 * 2


def test_mixing_of_residual_streams():
    d, mixes = 4096, (2 + 4) * 4
    around = 2 * 4 * d * mixes + 2 * (1 + 4 + 1) * 4 * d  # their matrix; a sum, a mix of each with all four, and the result of the part
    last = 2 * 4 * d * 4 + 2 * 4 * d
    assert model("deepseek-v4-flash").ledger().decode(10).by_part()["hyper-connection"] == 43 * 2 * around + last


def test_scores_of_an_index():
    matrices = 1536 * 64 * 128 + 7168 * 128 + 7168 * 64
    assert model("deepseek-v3.2").ledger().decode(1000).by_part()["index"] == 61 * 2 * (matrices + 64 * 128 * 1000)


def test_recurrences():
    found = model("mamba2-2.7b").ledger()  # 64 layers, 80 heads of 64 by 128: decay, outer product, read-out
    assert sum(e.flops for e in found.decode(10).entries if e.row.name == "state update") == 64 * 5 * 80 * 64 * 128
    found = model("qwen3-next-80b-a3b").ledger()  # and what the state holds under the key is read first
    assert sum(e.flops for e in found.decode(10).entries if e.row.name == "state update") == 36 * 7 * 32 * 128 * 128


def test_the_two_ways_of_latent_attention():
    sizes = {"n_q": 128, "cached": 1000, "fresh": 3, "d_latent": 512, "d_rope": 64}
    assert formula("latent-absorbed-flops")(**sizes).value == 2 * 128 * 1000 * 3 * (576 + 512)
    ways = formula("latent-expanded-flops")(**sizes, d_nope=128, d_value=128).value
    assert ways == 2 * 128 * 1000 * (512 * 256 + 3 * (192 + 128))


def test_formulas_of_shapes():
    sizes = {"d_model": 4096, "d_head": 128, "n_q": 32, "n_kv": 8, "d_ff": 14336}
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
    assert formula("layer-parameters")(**sizes).value == layer
    assert 32 * layer + 2 * 128256 * 4096 + 4096 == model("llama-3.1-8b").ledger().parameters
    moved = 4096 * 14336 * 2 + 8 * (4096 + 14336) * 2  # the matrix once, eight vectors in and out
    found = formula("matrix-intensity")(tokens=8, d_in=4096, d_out=14336, b_w=2, b_act=2).value
    assert found == pytest.approx(2 * 8 * 4096 * 14336 / moved)


def test_older_families():
    no_word = {n: v for n, v in SMALL["gpt_bigcode"].items() if n != "multi_query"}
    assert architecture.load(no_word).ledger().token_bytes == 4 * 2 * 16 * 2
    narrow = load("opt", word_embed_proj_dim=32).ledger()
    assert narrow.prefill(10).flops - narrow.decode(10).flops == pytest.approx(
        9 * 2 * 4 * (4 * 64 * 64 + 2 * 64 * 128) + 9 * 2 * 32 * 64 + 4 * 4 * 64 * 45
    )
    assert load("opt").ledger().parameters - load("opt", _remove_final_layer_norm=True).ledger().parameters == 128


@pytest.mark.parametrize(
    ("settings", "scales"),
    [
        ({"quant_method": "fp8", "weight_block_size": [32, 64]}, 18 * 4),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"one": {"weights": {"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [32, 64]}}},
            },
            18 * 2,
        ),
    ],
)
def test_blocks_are_given_as_outputs_by_inputs(settings, scales):
    matrices, rest = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128, 2 * 256 * 64 + 9 * 64
    # 32 outputs by 64 inputs: q and o two blocks each, k and v one, gate and up four, down two by two
    assert architecture.load(LLAMA | {"quantization_config": settings}).ledger().bytes == 4 * (matrices + scales) + 2 * rest


def test_nvfp4_keeps_a_scale_of_its_inputs_where_they_are_quantised():
    weights = {"num_bits": 4, "type": "float", "group_size": 16}
    found = []
    for more in ({}, {"input_activations": {"num_bits": 4, "type": "float", "group_size": 16}}):
        settings = {"quant_method": "compressed-tensors", "config_groups": {"one": {"weights": weights, **more}}}
        found.append(architecture.load(LLAMA | {"quantization_config": settings}).ledger().bytes)
    assert found[1] - found[0] == 4 * 4 * 7


def test_gptq_keeps_a_number_for_each_input():
    found = architecture.load(LLAMA | {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 64}}).ledger()
    down = next(row for row in found.rows if row.name == "down_proj")
    assert down.bytes_of_one == 128 * 64 / 2 + 2 * 64 * 2.5 + 4 * 128


# Configs that would give a plausible number of something else


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"quantization": {"bits": 4, "group_size": 64}}, "quantization = .*: what it says of the stored weights is not read"),
        ({"load_in_8bit": True}, "load_in_8bit = True: what it says of the stored weights"),
        ({"dtype": "float32", "torch_dtype": "bfloat16"}, "dtype = float32, but torch_dtype = bfloat16"),
        ({"pruned_heads": {"0": [1]}}, "pruned_heads is a field of the shape"),
        ({"num_loops": 4}, "num_loops is a field of the shape"),
        ({"use_cla": True}, "use_cla is a field of the shape"),
        ({"first_k_dense_replace": 2}, "first_k_dense_replace is a field of the shape"),
        ({"n_layer": 2}, "n_layer is a field of the shape"),
        ({"attention_chunk_size": 64}, "attention_chunk_size is a field of the shape"),
        ({5: 3}, "5 is no name of a field"),
        ({"model_type": "stranger", "sliding_window": 64}, "sliding_window = 64 does not say in which layers"),
        ({"model_type": None, "architectures": ["StrangeForCausalLM"]}, "architectures = .* names none either"),
    ],
)
def test_refused(fields, says):
    with pytest.raises(errors.ConfigError, match=says):
        architecture.load(LLAMA | fields)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"sliding_window": 64}, "sliding_window = 64 is not used by the reference code of llama"),
        ({"architectures": ["Qwen2ForCausalLM"]}, "is of qwen2, but model_type = 'llama'"),
        ({"torch_dtype": "float8_e4m3fn"}, "counted at one byte an element"),
        ({"quantization_config": {"quant_method": "mxfp4"}}, "nothing is quantised"),
        ({"use_qk_norm": True}, "fields not read: use_qk_norm"),
    ],
)
def test_warned(fields, says):
    assert says in " ".join(architecture.load(LLAMA | fields).warnings)
    assert not architecture.load(LLAMA).warnings


def test_a_window_that_the_class_has_not_changes_nothing():
    assert architecture.load(LLAMA | {"sliding_window": 64}).ledger().state(500) == architecture.load(LLAMA).ledger().state(500)
    local = LLAMA | {"sliding_window": 64, "layer_types": ["sliding_attention"] * 4}
    assert architecture.load(local).ledger().state(500) == 4 * 64 * 2 * 2 * 16 * 2


def test_a_family_may_be_named_by_its_class():
    config = BASE | {"architectures": ["Qwen2ForCausalLM"]}
    found = architecture.load(config)
    assert found.family == "qwen2"
    assert found.ledger().parameters == architecture.load(config | {"model_type": "qwen2"}).ledger().parameters
    assert "model_type is missing: read as qwen2" in found.warnings[0]


def test_a_wrapper_says_whether_the_head_is_tied():
    text = {n: v for n, v in LLAMA.items() if n != "tie_word_embeddings"}
    assert architecture.load({"model_type": "wrapper", "tie_word_embeddings": True, "text_config": text}).tied
    with pytest.raises(errors.ConfigError, match="tie_word_embeddings = True, but text_config says False"):
        architecture.load({"model_type": "wrapper", "tie_word_embeddings": True, "text_config": LLAMA})


def test_a_cache_with_scales_is_refused():
    with pytest.raises(errors.BadValue, match="kv = 'nvfp4': how a cache keeps the scales"):
        architecture.load(LLAMA).ledger(kv="nvfp4")


# Objects


@pytest.mark.parametrize("family", ["deepseek_v3", "gemma4_text", "qwen3_5", "mimo", "kimi_k3"])
def test_architectures_are_shown_compared_copied_and_pickled(family):
    lists = {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model.layers.0.mlp*", "*router*"]}
    found, again = (load(family, quantization_config=lists) for _ in range(2))
    assert found == again
    assert hash(found) == hash(again)
    assert len(repr(found)) < 200
    assert all(repr(row) for row in (*found.rows(), *found.state()))
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):  # noqa: S301
        assert other == found
        assert other.ledger().decode(100, batch=3) == found.ledger().decode(100, batch=3)
        assert other.ledger().bytes == found.ledger().bytes


def test_a_config_that_changes_later_changes_nothing():
    config = dict(LLAMA)
    found = architecture.load(config)
    config["vocab_size"] = 1
    assert found.config["vocab_size"] == 256


def test_an_empty_name_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.BadValue, match="expected a mapping, a path or the name of a model"):
        architecture.load("")
    with pytest.raises(errors.ConfigError, match="^[^:]*config.json: No such file"):
        architecture.load(tmp_path / "config.json")


def test_latent_attention_needs_its_ranks():
    assert "q_lora_rank" in MLA
    with pytest.raises(errors.ConfigError, match="q_lora_rank is missing"):
        architecture.load({n: v for n, v in MLA.items() if n != "q_lora_rank"} | {"model_type": "deepseek_v3"})
