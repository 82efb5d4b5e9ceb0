"""Bytes of quantised checkpoints: published ones to the byte, and small ones by hand."""

import json
from math import ceil

import pytest
from small import BASE, DSA, KIMI, MLA, MOE, SMALL, V4

from aiinfra import architecture
from aiinfra.architecture import quantization
from aiinfra.architecture.names import Names, canonical
from aiinfra.errors import ConfigError
from aiinfra.formats import FORMATS, bytes_of, format_of, grouped

LLAMA = BASE | {"model_type": "llama"}
GPT_OSS = {
    "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": 32, "num_experts_per_tok": 4, "sliding_window": 128,
    "attention_bias": True, "tie_word_embeddings": False,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "quantization_config": {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"],
    },
}  # fmt: skip
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
    "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "n_group": 8, "topk_group": 4, "topk_method": "noaux_tc", "first_k_dense_replace": 3, "moe_layer_freq": 1, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
    "num_nextn_predict_layers": 1, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]},
}  # fmt: skip


def quantised(settings: dict, base: dict = LLAMA) -> architecture.Ledger:
    return architecture.load(base | {"quantization_config": settings}).ledger()


def formats(ledger) -> dict[str, set[str]]:
    """The formats of each row, by name."""
    found: dict[str, set[str]] = {}
    for row in ledger.rows:
        if row.parameters:
            found.setdefault(row.name, set()).add(row.format.name)
    return found


# Published checkpoints


@pytest.mark.parametrize(("layers", "experts", "total"), [(24, 32, 13_761_264_768), (36, 128, 65_248_815_744)])
def test_gpt_oss_is_as_large_as_its_index_says(layers, experts, total):
    # metadata.total_size of model.safetensors.index.json of openai/gpt-oss-20b and gpt-oss-120b
    config = GPT_OSS | {
        "num_hidden_layers": layers,
        "num_local_experts": experts,
        "layer_types": GPT_OSS["layer_types"][:2] * (layers // 2),
    }
    assert architecture.load(config).ledger().bytes == total


def test_deepseek_v3_is_stored_as_the_hub_counts_it():
    # safetensors.parameters of deepseek-ai/DeepSeek-V3: BF16 3,918,786,560, F8_E4M3 680,571,043,840, F32 41,555,600
    ledger = architecture.load(DEEPSEEK_V3).ledger()
    rows = [row for row in ledger.rows if row.parameters]
    eight = [row for row in rows if row.format.name == "fp8-block128"]
    assert sum(row.parameters for row in eight) == 680_571_043_840
    copies = 2 * 129280 * 7168  # the further-token layer brings the token table and the head once more
    buffers = sum(row.parameters for row in rows if row.buffer)
    assert sum(row.parameters for row in rows if row.format.name == "bf16") + copies - buffers == 3_918_786_560
    scales = sum(ceil(row.value(row.d_in) / 128) * ceil(row.value(row.d_out) / 128) * row.value(row.copies) * row.layers for row in eight)
    assert scales + buffers == 41_555_600
    assert sum(row.bytes for row in eight) == 680_571_043_840 + 4 * scales


# By hand: layers of q 64×64, k and v 64×32, o 64×64, three MLP matrices 64×128; 4 layers

MATRICES = [(64, 64), (64, 32), (64, 32), (64, 64), (64, 128), (64, 128), (128, 64)]
REST = 2 * (2 * 256 * 64 + 4 * 2 * 64 + 64)  # two tables and nine norms in BF16
ELEMENTS = 4 * sum(i * o for i, o in MATRICES)


def by_hand(element: float, scale=lambda i, o: 0) -> float:
    return REST + element * ELEMENTS + 4 * sum(scale(i, o) for i, o in MATRICES)


LINEAR = {"group_0": {"targets": ["Linear"]}}


def packed(**weights) -> dict:
    return {
        "quant_method": "compressed-tensors",
        "ignore": ["lm_head"],
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}},
    }


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, by_hand(1, lambda i, o: 4 * ceil(i / 128) * ceil(o / 128))),
        ({"quant_method": "fp8", "weight_block_size": [32, 16]}, by_hand(1, lambda i, o: 4 * ceil(i / 16) * ceil(o / 32))),
        ({"quant_method": "fp8", "activation_scheme": "dynamic"}, by_hand(1, lambda i, o: 4)),
        ({"quant_method": "fp8", "activation_scheme": "static"}, by_hand(1, lambda i, o: 8)),
        ({"quant_method": "mxfp4"}, by_hand(2)),  # there are no experts
        ({"quant_method": "mxfp8"}, by_hand(1, lambda i, o: i * o / 32)),
        ({"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True}, by_hand(0.5, lambda i, o: 2.5 * (i // 32) * o)),
        ({"quant_method": "gptq", "bits": 4, "group_size": 32}, by_hand(0.5, lambda i, o: 2.5 * (i // 32) * o + 4 * i)),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, by_hand(1, lambda i, o: 3 * o + 4 * i)),
        ({"quant_method": "gptq", "bits": 3, "group_size": 64}, by_hand(0.375, lambda i, o: 2.375 * (i // 64) * o + 4 * i)),
        (packed(num_bits=4, type="int", strategy="group", group_size=32), by_hand(0.5, lambda i, o: 2 * (i // 32) * o + 16)),
        (
            packed(num_bits=4, type="int", strategy="group", group_size=32, symmetric=False),
            by_hand(0.5, lambda i, o: 2.5 * (i // 32) * o + 16),
        ),
        (packed(num_bits=8, type="float", strategy="channel"), by_hand(1, lambda i, o: 2 * o)),
        (packed(num_bits=8, type="float", strategy="tensor"), by_hand(1, lambda i, o: 2)),
        (packed(num_bits=8, type="float", strategy="block", block_structure=[128, 128]), by_hand(1, lambda i, o: 2)),
        (packed(num_bits=4, type="float", strategy="tensor_group", group_size=16), by_hand(0.5, lambda i, o: i * o / 16 + 4)),
        (packed(num_bits=4, type="float", strategy="group", group_size=32), by_hand(0.5, lambda i, o: i * o / 32)),
        ({"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ["lm_head"]}, by_hand(1, lambda i, o: 8)),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}, by_hand(0.5, lambda i, o: i * o / 16 + 8)),
        ({"quant_algo": "W4A16_NVFP4", "ignore": ["lm_head"]}, by_hand(0.5, lambda i, o: i * o / 16 + 4)),
        ({"quant_algo": "fp8_pb_wo", "exclude_modules": ["lm_head"]}, by_hand(1, lambda i, o: 4)),
        ({"quant_algo": "FP8_PER_CHANNEL_PER_TOKEN", "exclude_modules": ["lm_head"]}, by_hand(1, lambda i, o: 4 * o)),
    ],
)
def test_bytes_by_hand(settings, expected):
    ledger = quantised(settings)
    assert ledger.bytes == expected
    assert ledger.parameters == architecture.load(LLAMA).ledger().parameters


def test_integer_checkpoints_that_are_not_packed():
    settings = packed(num_bits=8, type="int", strategy="channel") | {"format": "int-quantized"}
    assert quantised(settings).bytes == by_hand(1, lambda i, o: 2 * o)


def test_bias_stays_in_the_configs_dtype():
    ledger = quantised({"quant_method": "fp8"}, LLAMA | {"attention_bias": True})
    plain = architecture.load(LLAMA | {"attention_bias": True}).ledger()
    biases = 4 * (64 + 32 + 32 + 64)
    assert ledger.parameters == plain.parameters
    assert ledger.bytes == by_hand(1, lambda i, o: 4) + 2 * biases
    assert ledger.prefill(10).flops == plain.prefill(10).flops


# Which modules


def test_skipped_layers_become_rows_of_their_own():
    ledger = quantised({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.1.mlp.down_proj", "model.layers.2.mlp", "lm_head"]})
    found = {(row.name, row.format.name): row.indices for row in ledger.rows if row.part == "mlp"}
    assert found[("down_proj", "fp8-tensor")] == (0, 3) and found[("down_proj", "bf16")] == (1, 2)
    assert found[("up_proj", "bf16")] == (2,) and found[("up_proj", "fp8-tensor")] == (0, 1, 3)
    assert all(row.layers == len(row.indices) for row in ledger.rows if row.indices)


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("model.layers.*.self_attn", {"q_proj", "k_proj", "v_proj", "o_proj"}),
        ("*self_attn*", {"q_proj", "k_proj", "v_proj", "o_proj"}),
        ("model.language_model.layers.*.mlp.up_proj", {"up_proj"}),
        ("language_model.model.layers.*.mlp.u*", {"up_proj"}),
        ("self_attn.q_proj", {"q_proj"}),
        ("down_proj", {"down_proj"}),
        ("own_proj", set()),
        ("re:.*mlp\\.(gate|up)_proj.*", {"gate_proj", "up_proj"}),
        ("re:.*mlp", {"gate_proj", "up_proj", "down_proj"}),
        ("re:mlp", set()),
        ("model.layers.0*", set()),
        ("lm_head", set()),
    ],
)
def test_patterns(pattern, kept):
    settings = {
        "quant_method": "compressed-tensors",
        "ignore": [pattern],
        "config_groups": {"g": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"}}},
    }
    ledger = quantised(settings)
    names = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
    assert {n for n, f in formats(ledger).items() if n in names and f == {"bf16"}} == kept


def test_layers_by_number():
    for pattern, layers in (
        ("model.layers.0*", (0,)),
        ("model.layers.1.*", (1,)),
        ("re:.*layers\\.[23]\\..*", (2, 3)),
        ("*.layers.3.*", (3,)),
    ):
        ledger = quantised({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": [pattern]})
        kept = {row.indices for row in ledger.rows if row.kind == "matrix" and row.indices and row.format.name == "bf16"}
        assert kept == {layers}, pattern


def test_never_quantised():
    found = formats(quantised({"quant_method": "fp8", "weight_block_size": [128, 128]}, DSA | {"model_type": "deepseek_v32"}))
    for name in ("embed_tokens", "lm_head", "router", "weights_proj", "eh_proj", "norm", "kv_a_layernorm"):
        assert found[name] == {"bf16"}, name
    for name in ("experts up_proj", "shared up_proj", "wq_b", "wk", "kv_b_proj", "o_proj", "up_proj"):
        assert found[name] == {"fp8-block128"}, name
    hybrid = formats(quantised({"quant_method": "fp8"}, SMALL["qwen3_next"]))
    assert hybrid["conv1d"] == hybrid["shared gate"] == hybrid["A_log"] == {"bf16"}


def test_experts_only():
    found = formats(quantised({"quant_method": "mxfp4"}, MOE | {"model_type": "mixtral"}))
    assert found["experts up_proj"] == {"mxfp4"} and found["q_proj"] == found["router"] == {"bf16"}


def test_deepseek_v4_keeps_four_bit_experts():
    settings = {"quant_method": "fp8", "scale_fmt": "ue8m0", "weight_block_size": [128, 128]}
    four = formats(quantised(settings, V4 | {"model_type": "deepseek_v4", "expert_dtype": "fp4"}))
    assert four["experts up_proj"] == {"mxfp4"} and four["shared up_proj"] == four["q_a_proj"] == {"fp8-block128-e8m0"}
    assert four["compressor kv_proj"] == four["attn_hc.fn"] == four["router"] == {"bf16"}
    eight = formats(quantised(settings, V4 | {"model_type": "deepseek_v4", "expert_dtype": "fp8"}))
    assert eight["experts up_proj"] == eight["q_a_proj"] == {"fp8-block128"}
    mixed = settings | {
        "quant_algo": "MIXED_PRECISION", "ignore": ["*.attn.*", "mtp.*"],
        "quantized_layers": {f"layers.{i}.ffn.experts": {"quant_algo": "NVFP4", "group_size": 16} for i in range(4)},
    }  # fmt: skip
    rows = quantised(mixed, V4 | {"model_type": "deepseek_v4", "expert_dtype": "fp4"}).rows
    assert {r.format.name for r in rows if r.name == "experts up_proj" and r.section == "language"} == {"nvfp4"}
    assert {r.format.name for r in rows if r.name == "experts up_proj" and r.section == "mtp"} == {"mxfp4"}
    assert {r.format.name for r in rows if r.name == "q_a_proj"} == {"fp8-block128-e8m0"}


def test_mixed_precision_names_modules_one_by_one():
    layers = {f"model.layers.{i}.mlp.down_proj": {"quant_algo": "FP8"} for i in range(4)}
    layers |= {"model.layers.2.self_attn.o_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16}, "lm_head": {"quant_algo": "FP8"}}
    found = formats(quantised({"quant_algo": "MIXED_PRECISION", "quantized_layers": layers, "exclude_modules": ["mtp*"]}))
    assert found["down_proj"] == {"fp8-tensor"} and found["o_proj"] == {"bf16", "nvfp4"} and found["lm_head"] == {"fp8-tensor"}
    assert found["up_proj"] == {"bf16"}


def test_experts_named_one_by_one():
    base = MOE | {"model_type": "mixtral"}
    layers = {
        f"model.layers.{i}.block_sparse_moe.experts.{e}.{w}": {"quant_algo": "NVFP4"}
        for i in range(4)
        for e in range(8)
        for w in ("w1", "w2", "w3")
    }
    found = formats(quantised({"quant_algo": "MIXED_PRECISION", "quantized_layers": layers}, base))
    assert found["experts gate_proj"] == found["experts down_proj"] == {"nvfp4"}
    some = {n: v for n, v in layers.items() if ".experts.7." not in n}
    with pytest.raises(ConfigError, match="names 7 of 8 experts of layer 0"):
        quantised({"quant_algo": "MIXED_PRECISION", "quantized_layers": some}, base)


def test_groups_by_name_and_class():
    groups = {
        "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}},
        "group_1": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}},
    }
    found = formats(
        quantised({"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": groups, "ignore": ["lm_head"]})
    )
    assert found["q_proj"] == {"fp8-channel"} and found["up_proj"] == {"int4-group32"}


def test_gptq_settings_of_single_modules():
    settings = {
        "quant_method": "gptq",
        "bits": 4,
        "group_size": 32,
        "dynamic": {"-:.*down_proj": {}, "+:.*up_proj": {"bits": 8, "group_size": 64}},
    }
    found = formats(quantised(settings))
    assert found["down_proj"] == {"bf16"} and found["up_proj"] == {"gptq8-group64"} and found["gate_proj"] == {"gptq4-group32"}
    assert formats(quantised(settings | {"lm_head": True}))["lm_head"] == {"gptq4-group32"}


def test_wrappers_keep_it_inside_or_outside():
    settings = {"quant_method": "fp8", "modules_to_not_convert": ["language_model.model.layers.0.self_attn", "vision_tower"]}
    inner = MLA | {"model_type": "kimi_k2"}
    for config in ({"text_config": inner | {"quantization_config": settings}}, {"text_config": inner, "quantization_config": settings}):
        model = architecture.load({"model_type": "kimi_k25"} | config)
        kept = {r.indices for r in model.ledger().rows if r.name == "o_proj" and r.format.name == "bf16"}
        assert kept == {(0,)}
        assert not any("pattern" in w or "quantization_config" in w for w in model.warnings)


def test_latent_projections_around_experts_are_kept():
    config = KIMI | {"model_type": "kimi_linear", "routed_expert_hidden_size": 32, "moe_intermediate_size": 32}
    found = formats(quantised(packed(num_bits=4, type="float", group_size=32) | {"format": "mxfp4-pack-quantized"}, config))
    assert found["latent down"] == {"bf16"} and found["experts up_proj"] == {"mxfp4"}


# Warnings


def warnings(settings: dict, base: dict = LLAMA) -> str:
    return " | ".join(architecture.load(base | {"quantization_config": settings}).warnings)


def test_patterns_that_match_nothing_are_told():
    text = warnings(
        {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.3.mlp.nothing", "model.layers.9.mlp", "mamba", "mlp.up_proj"]}
    )
    assert text == "quantization_config: 3 of its patterns match no matrix here, such as 'layers.3.mlp.nothing'"
    assert not warnings(
        {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model.layers.0.input_layernorm", "visual", "model.layers.0.mlp"]}
    )


def test_a_list_that_is_missing_is_told():
    assert "names no modules that are left alone" in warnings({"quant_algo": "FP8"})


# Cache


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "bf16"),
        ({"kv_cache_quant_algo": "FP8"}, "fp8"),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False}}, "fp8"),
        ({"kv_cache_scheme": "FP8"}, "fp8"),
        ({"kv_cache_scheme": None}, "bf16"),
        ({"kv_cache_quant_algo": "INT8"}, "int8"),
        ({"kv_cache_quant_algo": "NVFP4"}, "nvfp4-cache"),
    ],
)
def test_cache_format(settings, expected):
    ledger = quantised({"quant_algo": "NVFP4", "ignore": ["lm_head"]} | settings)
    assert ledger.kv.name == expected
    assert ledger.token_bytes == 4 * 2 * 2 * 16 * FORMATS[expected].element


# The file beside config.json


def write(folder, config, beside, stem=""):
    (folder / f"{stem}config.json").write_text(json.dumps(config))
    (folder / f"{stem}hf_quant_config.json").write_text(json.dumps(beside))
    return folder / f"{stem}config.json"


@pytest.mark.parametrize("stem", ["", "maker--model_"])
def test_quantisation_beside_the_config(tmp_path, stem):
    beside = {
        "producer": {"name": "modelopt"},
        "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]},
    }
    ledger = architecture.load(write(tmp_path, LLAMA, beside, stem)).ledger()
    assert ledger.bytes == by_hand(1, lambda i, o: 8) and ledger.kv.name == "fp8"


def test_two_quantisations_must_agree(tmp_path):
    own = LLAMA | {"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}}
    beside = {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}}
    assert architecture.load(write(tmp_path, own, beside)).ledger().kv.name == "fp8"
    with pytest.raises(ConfigError, match="quant_algo = 'NVFP4', but hf_quant_config.json says 'FP8'"):
        architecture.load(write(tmp_path, own, {"quantization": {"quant_algo": "FP8"}}))
    with pytest.raises(ConfigError, match="expected a mapping"):
        architecture.load(write(tmp_path, own, {"quantization": 3}))


# Refused


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "quant_method = 'bitsandbytes': not known: it quantises while loading"),
        ({"quant_method": "torchao"}, "quant_method = 'torchao': not known: it quantises while loading"),
        ({"quant_method": "aqlm"}, "quant_method = 'aqlm': not known; known: awq, compressed-tensors, fp8, gptq, modelopt, mxfp4, mxfp8"),
        ({"quant_method": 4}, "quant_method = 4: not known"),
        ({}, None),
        ({"quant_method": "fp8", "weight_block_size": [128]}, "weight_block_size"),
        ({"quant_method": "fp8", "weight_block_size": [0, 128]}, "weight_block_size"),
        ({"quant_method": "fp8", "modules_to_not_convert": "lm_head"}, "modules_to_not_convert = 'lm_head': must be a list"),
        ({"quant_method": "fp8", "modules_to_not_convert": [3]}, "3 is not the name of a module"),
        ({"quant_method": "awq", "bits": 8, "group_size": 128}, "bits = 8: must be 4"),
        ({"quant_method": "awq", "bits": 4, "group_size": 0}, "group_size = 0"),
        ({"quant_method": "gptq", "bits": 5, "group_size": 128}, "bits = 5: must be 2, 3, 4 or 8"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"+:(a+)+$": {}}}, "repeats too much"),
        ({"quant_algo": "INT7"}, "quant_algo = 'INT7': must be one of FP8"),
        ({"quant_algo": "NVFP4", "group_size": 32}, "group_size = 32: must be 16 for NVFP4"),
        ({"quant_algo": "MIXED_PRECISION"}, "quantized_layers is missing"),
        ({"quant_algo": "FP8", "kv_cache_quant_algo": "FP3"}, "cache format 'FP3'"),
        (packed(num_bits=5, type="int"), "num_bits = 5"),
        (packed(num_bits=4, type="int", strategy="group"), "group_size is missing"),
        (packed(num_bits=4, type="int", group_size=32, actorder="group"), "actorder = 'group'"),
        ({"quant_method": "compressed-tensors", "config_groups": {}, "sparsity_config": {"format": "sparse-24-bitmask"}}, "sparse weights"),
        ({"quant_method": "compressed-tensors", "ignore": ["re:("], "config_groups": {}}, "pattern 're:('|pattern '\\('"),
        ({"quant_method": "compressed-tensors", "ignore": ["re:(x*)*y"], "config_groups": {}}, "repeats too much"),
    ],
)
def test_refused(settings, text):
    config = LLAMA | {"quantization_config": settings}
    with pytest.raises(ConfigError) as raised:
        architecture.load(config)
    message = str(raised.value)
    assert "\n" not in message
    assert text is None or any(t.replace("\\(", "(") in message for t in text.split("|")), message


def test_too_many_patterns_are_refused_at_once():
    patterns = [f"re:.*layers\\.{i}\\.mlp.*" for i in range(5000)]
    with pytest.raises(ConfigError, match="too many to try"):
        architecture.load(
            LLAMA | {"num_hidden_layers": 200, "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": patterns}}
        )


# Parts


def test_names_in_one_spelling():
    assert canonical("mlp.shared_expert*") == "mlp.shared_experts*"
    assert canonical("ffn.experts.12.w2") == "mlp.experts.*.down_proj"
    assert Names([("model.layers.0.mlp", None)], "here").layers == {("language", 0): {"mlp": None}}


def test_formats():
    assert grouped("int4", 4, 0).group_in == 0 and grouped("int8", 8, 0).element == 1
    assert all(FORMATS[name].name == name and format_of(name).element > 0 for name in FORMATS)
    assert bytes_of("fp8") == 1 and quantization.METHODS["fp8"] is quantization.read_fp8
