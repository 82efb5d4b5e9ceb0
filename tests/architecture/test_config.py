"""Reading of configs: fields by name, families that are not known, wrappers, and fields that nothing reads."""

import json

import pytest
from small import BASE, SMALL

from aiinfra import architecture
from aiinfra.architecture import families
from aiinfra.architecture.config import MOST, Config, load_json
from aiinfra.errors import AIInfraError, BadType, ConfigError

LLAMA = BASE | {"model_type": "llama"}
STRANGER = BASE | {"model_type": "newcomer"}


def refusal(config: dict) -> str:
    with pytest.raises(ConfigError) as raised:
        architecture.load(config)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 1000
    return str(raised.value)


# One field at a time


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "field hidden_size or "),
        ("64", "hidden_size = '64': must be a whole number from 1 to"),
        (-64, "hidden_size = -64: must be"),
        (0, "hidden_size = 0: must be"),
        (True, "hidden_size = True: must be"),
        (64.5, "hidden_size = 64.5: must be"),
        (2**31 + 1, "hidden_size = 2147483649: must be"),
        (float("nan"), "hidden_size = nan: must be"),
        ([64], "hidden_size = [64]: must be"),
        ({"a": 64}, "hidden_size = {'a': 64}: must be"),
    ],
)
def test_a_bad_size_is_named(value, text):
    assert text.removesuffix(" or ") in refusal(LLAMA | {"hidden_size": value, "head_dim": 16})


def test_numbers_that_python_does_not_print():
    assert "hidden_size = an integer of 16610 bits: must be" in refusal(LLAMA | {"hidden_size": 10**5000})


@pytest.mark.parametrize("name", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"])
def test_sizes_are_never_defaulted(name):
    assert f"field {name}" in refusal({n: v for n, v in LLAMA.items() if n != name})


def test_whole_floats_are_whole():
    assert architecture.load(LLAMA | {"hidden_size": 64.0}).d_model == 64


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"num_attention_heads": 3, "head_dim": None}, "num_attention_heads = 3 is no multiple of num_key_value_heads = 2"),
        ({"num_attention_heads": 6, "head_dim": None}, "hidden_size = 64 is no multiple of num_attention_heads = 6"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings = 'yes': must be true or false"),
        ({"torch_dtype": "int3"}, "torch_dtype = 'int3': must be one of float32"),
        ({"layer_types": ["full_attention"] * 3}, "layer_types has 3 items for 4 layers"),
        ({"layer_types": ["full_attention"] * 3 + ["other"]}, "layer_types holds 'other'; known: full_attention"),
        ({"layer_types": "full"}, "layer_types = 'full': must be a list"),
        ({"num_hidden_layers": MOST["layers"] + 1}, "num_hidden_layers = 2001: must be a whole number from 1 to 2,000"),
        ({"quantization_config": 3}, "quantization_config: expected a mapping of fields, not 3"),
        (SMALL["lfm2"] | {"block_ff_dim": 1}, "block_ff_dim = 1 gives an inner width of 0"),
    ],
)
def test_contradictions_are_named(fields, text):
    assert text in refusal(LLAMA | fields)


def test_the_reading_of_one_field():
    config = Config({"a": 3, "f": 0.5, "w": "x", "l": [1, 2], "no": None, "flag": True, "part": {"b": 1}, "model": {}})
    assert config.count("missing", "a") == 3 and config.count("missing", default=7) == 7
    assert config.number("f") == 0.5 and config.word("w", among=("x", "y")) == "x" and config.flag("flag")
    assert config.counts("l", 2) == [1, 2] and config.words("no", 2, ("x",), default=None) is None
    assert config.part("part").where == "part" and config.part("part").count("b") == 1 and config.part("no", default=None) is None
    assert "no" not in config and "a" in config
    for call in (
        lambda: config.word("w", among=("y",)), lambda: config.number("w"), lambda: config.counts("l", 2, least=2),
        lambda: config.part("a"),
        lambda: config.words("l", 2, ("x",)), lambda: config.items("a", None), lambda: config.refuse_if("a", "why"),
        lambda: config.flag("a"),
        lambda: config.raw("missing"), lambda: Config([1]),
    ):  # fmt: skip
        with pytest.raises(ConfigError):
            call()
    config.refuse_if("no", "why")


# Files


def test_files(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    assert architecture.load(path).key == architecture.load(tmp_path).key == architecture.load(str(path)).key == tmp_path.name
    for text, error in (("{", "not JSON"), ("[1]", "expected an object"), ("[" * 100_000, "not JSON"), ("\xff", "not JSON|expected")):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(AIInfraError, match=error) as raised:
            architecture.load(path)
        assert "\n" not in str(raised.value)
    path.write_text(json.dumps(LLAMA | {"vocab_size": -1}))
    with pytest.raises(ConfigError, match=r"^config.json: config: vocab_size = -1"):
        architecture.load(path)
    with pytest.raises(ConfigError, match="No such file"):
        load_json(tmp_path / "nothing.json")
    with pytest.raises(BadType, match="expected a mapping, a path or the name"):
        architecture.load(3)
    with pytest.raises(AIInfraError, match="unknown model"):
        architecture.load("no-such-model")


# Families that are not known


def test_llama_under_another_name_is_counted_with_a_warning():
    model = architecture.load(STRANGER | {"auto_map": {"AutoModel": "x"}, "rope_scaling": {"type": "yarn"}, "sliding_window": None})
    assert model.ledger().parameters == architecture.load(LLAMA).ledger().parameters
    assert model.family == "newcomer"
    assert model.warnings[0].startswith("model_type 'newcomer' is not known: counted as Llama, whose fields it has")
    assert "auto_map" in model.warnings[0]
    nameless = architecture.load({n: v for n, v in STRANGER.items() if n != "model_type"})
    assert nameless.warnings[0].startswith("model_type missing is not known")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"num_experts": 8}, "its field num_experts = 8 is none of Llama's"),
        ({"kv_lora_rank": 32}, "its field kv_lora_rank = 32 is none of Llama's"),
        ({"ssm_state": 16}, "its field ssm_state = 16 is none of Llama's"),
        ({"something_new": "on"}, "its field something_new = 'on' is none of Llama's"),
        ({"hidden_act": "gelu"}, "hidden_act = 'gelu' does not say that its MLP is gated"),
        ({"hidden_act": None}, "hidden_act = None does not say"),
        ({"rms_norm_eps": None}, "rms_norm_eps is missing"),
        ({"intermediate_size": None}, "intermediate_size is missing"),
        ({"attention_bias": True}, "attention_bias = True does not say which"),
        ({"is_encoder_decoder": True}, "is_encoder_decoder = True"),
        ({"model_type": "newcomer_vision_encoder"}, "a piece of a model (encoder)"),
        ({"model_type": 7}, "model_type = 7: must be text"),
    ],
)
def test_other_strangers_are_refused(fields, text):
    assert text in refusal(STRANGER | fields)


def test_near_names_are_told():
    assert "near: " in (text := refusal(STRANGER | {"model_type": "deepseek_v33", "kv_lora_rank": 4})) and "deepseek_v3" in text
    assert "known: " in refusal(STRANGER | {"model_type": "zzz", "kv_lora_rank": 4})


@pytest.mark.parametrize(
    ("name", "kind"), [("bert", "an encoder,"), ("t5", "with a decoder"), ("whisper", "speech"), ("clip", "images"), ("sam", "images")]
)
def test_what_is_no_decoder_is_refused_by_kind(name, kind):
    text = refusal(BASE | {"model_type": name})
    assert f"model_type = '{name}'" in text and kind in text


def test_no_reader_is_also_refused():
    assert not set(families.READERS) & (set(families.NO_DECODERS) | set(families.ALIASES))
    assert all(families.reader(name) for name in families.READERS)


# Wrappers


def test_a_wrapper_that_is_not_known_gives_its_language_model():
    model = architecture.load({"model_type": "new_vl", "text_config": LLAMA, "vision_config": {"hidden_size": 8}})
    assert model.ledger().parameters == architecture.load(LLAMA).ledger().parameters
    assert model.warnings[0] == "config: model_type = 'new_vl' is not known: only its language model, llama, is counted"


def test_text_parts_under_their_own_name():
    inner = BASE | {"model_type": "qwen3_vl_text"}
    expected = architecture.load(BASE | {"model_type": "qwen3"}).ledger().parameters
    assert architecture.load(inner).ledger().parameters == expected
    assert architecture.load({"model_type": "some_vl", "text_config": inner}).ledger().parameters == expected


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            {"model_type": "new_vl", "text_config": BASE | {"model_type": "new_text"}},
            "text_config: model_type = 'new_text' is not a known family",
        ),
        ({"model_type": "new_vl", "text_config": BASE | {"model_type": "bert"}}, "text_config: model_type = 'bert': an encoder"),
        ({"model_type": "new_vl", "text_config": BASE}, "text_config: model_type = None is not a known family"),
        ({"model_type": "new_vl", "text_config": []}, "hidden_size is missing"),
        ({"model_type": "new_vl", "text_config": LLAMA | {"vocab_size": "x"}}, "text_config: vocab_size = 'x'"),
        ({"model_type": "qwen3_vl", "text_config": "x"}, "text_config"),
    ],
)
def test_wrappers_that_are_refused(config, text):
    assert text in refusal(config)


# Fields that nothing reads


@pytest.mark.parametrize(
    "name", ["num_local_experts", "q_lora_rank", "local_window", "ssm_cfg", "compress_ratios", "num_memory_heads", "conv_size", "kv_shared"]
)
def test_fields_of_the_shape_that_no_reader_knows_are_refused(name):
    assert f"config: {name} is a field of the shape that the reader of llama does not know" in refusal(LLAMA | {name: 4})
    for value in (None, False, 0, [], {}):
        assert not architecture.load(LLAMA | {name: value}).warnings


def test_in_nested_parts_too():
    text = refusal({"model_type": "qwen3_vl", "text_config": BASE | {"num_mystery_heads": 4}})
    assert "text_config: num_mystery_heads is a field of the shape" in text


def test_other_fields_are_listed():
    assert architecture.load(LLAMA | {"colour": "red", "mood": 3}).warnings == ("fields not read: colour, mood",)
    quiet = {"transformers_version": "5", "bos_token_id": 1, "_name_or_path": "x", "attention_dropout": 0.1, "rope_scaling": {"factor": 8}}
    assert not architecture.load(LLAMA | quiet).warnings


def test_small_configs_leave_nothing_unread():
    for name, config in SMALL.items():
        assert not [w for w in architecture.load(config).warnings if "fields not read" in w], name


def test_heads_of_other_tasks_are_told():
    assert not architecture.load(LLAMA | {"architectures": ["LlamaForCausalLM"]}).warnings
    assert "counted with the output head" in architecture.load(LLAMA | {"architectures": ["LlamaForSequenceClassification"]}).warnings[0]
