"""Vision towers and projectors: totals of transformers 5.24.0 on the meta device, and sums written out by hand."""

import pytest

from aiinfra import architecture
from aiinfra.errors import ConfigError

TEXT = {
    "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128,
    "intermediate_size": 96,
}  # fmt: skip
DELTA = {
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}  # fmt: skip
TOWER = {
    "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 4, "spatial_merge_size": 2,
    "temporal_patch_size": 2, "out_hidden_size": 64, "num_position_embeddings": 16, "in_channels": 3,
}  # fmt: skip
QWEN3 = {"model_type": "qwen3_vl", "text_config": TEXT | {"head_dim": 16}, "vision_config": TOWER | {"deepstack_visual_indexes": [0, 1]}}
QWEN35 = {"model_type": "qwen3_5", "tie_word_embeddings": True, "text_config": TEXT | DELTA | {"head_dim": 16}, "vision_config": TOWER}
QWEN25 = {"model_type": "qwen2_5_vl", "text_config": TEXT, "vision_config": TOWER}
QWEN2 = {
    "model_type": "qwen2_vl", "text_config": TEXT,
    "vision_config": {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "mlp_ratio": 4, "patch_size": 4, "in_channels": 3},
}  # fmt: skip
GEMMA4 = {
    "model_type": "gemma4",
    "text_config": TEXT | {
        "head_dim": 16, "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"] * 2, "global_head_dim": 32,
        "hidden_size_per_layer_input": 0,
    },
    "vision_config": {
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
        "head_dim": 16, "patch_size": 4, "position_embedding_size": 20, "standardize": True,
    },
}  # fmt: skip


def sections(config):
    return architecture.load(config).ledger().sections


@pytest.mark.parametrize(
    ("config", "language", "tower", "projector"),
    [
        (QWEN3, 139_968, 18_624, 74_880), (QWEN35, 144_680, 18_624, 24_832),
        (QWEN25, 140_352, 21_120, 24_800), (QWEN2, 140_352, 28_480, 24_832),
    ],
)  # fmt: skip
def test_sections_are_those_of_transformers(config, language, tower, projector):
    assert sections(config) == {"language": language, "vision": tower, "projector": projector}


def test_a_tower_by_hand():
    patch = 3 * 2 * 4 * 4 * 32 + 32
    layer = (32 * 96 + 96) + (32 * 32 + 32) + (32 * 48 + 48) + (48 * 32 + 32) + 2 * 2 * 32
    assert sections(QWEN3)["vision"] == patch + 16 * 32 + 2 * layer
    wide = 4 * 32
    merger = wide * wide + wide + wide * 64 + 64
    assert sections(QWEN3)["projector"] == (merger + 2 * 32) + 2 * (merger + 2 * wide)  # one at the end, two for deep layers


def test_the_tower_of_gemma_4_by_hand():
    # transformers 5.24.0 has 18,560 - 64 parameters outside the projector; two vectors of its buffers are in checkpoints
    layer = 2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 48 + 4 * 32 + 2 * 16
    assert sections(GEMMA4)["vision"] == 3 * 4 * 4 * 32 + 2 * 20 * 32 + 2 * layer + 2 * 32
    assert sections(GEMMA4)["projector"] == 32 * 64


def test_towers_of_published_models():
    # Qwen/Qwen3-VL-4B-Instruct, config.json: 4,437,815,808 parameters in transformers 5.24.0, 4,022,468,096 of them of the text model
    text = {
        "hidden_size": 2560, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
        "intermediate_size": 9728, "vocab_size": 151936, "tie_word_embeddings": True,
    }  # fmt: skip
    vision = {
        "depth": 24, "hidden_size": 1024, "intermediate_size": 4096, "num_heads": 16, "patch_size": 16, "spatial_merge_size": 2,
        "temporal_patch_size": 2, "out_hidden_size": 2560, "num_position_embeddings": 2304, "in_channels": 3,
        "deepstack_visual_indexes": [5, 11, 17],
    }  # fmt: skip
    found = sections({"model_type": "qwen3_vl", "text_config": text, "vision_config": vision, "tie_word_embeddings": True})
    assert found["language"] == 4_022_468_096
    assert sum(found.values()) == 4_437_815_808


def test_older_files_are_flat():
    flat = TEXT | {"model_type": "qwen2_5_vl", "vision_config": TOWER}
    assert sections(flat) == sections(QWEN25)


def test_a_missing_tower_is_said():
    model = architecture.load({k: v for k, v in QWEN3.items() if k != "vision_config"})
    assert model.ledger().sections == {"language": 139_968}
    assert any("vision tower is left out" in w for w in model.warnings)


def test_an_audio_tower_is_said_to_be_left_out():
    assert any("audio" in w for w in architecture.load(GEMMA4 | {"audio_config": {"hidden_size": 8}}).warnings)


def test_the_language_model_does_not_see_the_tower():
    book = architecture.load(QWEN3).ledger()
    assert book.parameters == 139_968
    assert book.prefill(10, sections=("vision",)).flops > 0
    assert all(e.row.section == "language" for e in book.prefill(10).entries)


@pytest.mark.parametrize(
    ("config", "change", "text"),
    [
        (QWEN3, {"vision_config": TOWER | {"out_hidden_size": 65}}, "out_hidden_size = 65, but text_config: hidden_size = 64"),
        (QWEN3, {"vision_config": TOWER | {"deepstack_visual_indexes": [2]}}, "deepstack_visual_indexes"),
        (QWEN35, {"vision_config": TOWER | {"deepstack_visual_indexes": [1]}}, "deepstack_visual_indexes"),
        (QWEN3, {"vision_config": TOWER | {"depth": None}}, "vision_config: field depth is missing"),
        (QWEN3, {"vision_config": [1]}, "vision_config"),
        (QWEN3, {"text_config": TEXT}, "text_config: field head_dim is missing"),
        (QWEN3, {"text_config": None}, "hidden_size is missing"),
        (QWEN35, {"text_config": QWEN35["text_config"] | {"tie_word_embeddings": False}}, "but text_config says False"),
        (QWEN35, {"language_model_only": True}, "language_model_only"),
        (QWEN2, {"vision_config": QWEN2["vision_config"] | {"mlp_ratio": "x"}}, "mlp_ratio"),
        (GEMMA4, {"vision_config": GEMMA4["vision_config"] | {"attention_bias": True}}, "attention_bias"),
    ],
)
def test_a_bad_field_gives_one_line(config, change, text):
    with pytest.raises(ConfigError) as error:
        architecture.load(config | change)
    assert text in str(error.value) and "\n" not in str(error.value)
