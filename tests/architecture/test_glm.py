"""GLM-4.5: published totals with the layer for further tokens, biases and norms, bad fields."""

import pytest

from aiinfra import architecture
from aiinfra.errors import AIInfraError

GLM45 = {
    "model_type": "glm4_moe", "hidden_size": 5120, "num_hidden_layers": 92, "num_attention_heads": 96, "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 3, "attention_bias": True, "use_qk_norm": True, "vocab_size": 151552, "num_nextn_predict_layers": 1,
}  # fmt: skip
AIR = GLM45 | {
    "hidden_size": 4096, "num_hidden_layers": 46, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 128,
    "first_k_dense_replace": 1, "use_qk_norm": False,
}  # fmt: skip


# Hub, tensor totals; the files of GLM-4.5 and of Air hold copies of the token table and the head, those of GLM-4.6 do not
@pytest.mark.parametrize(
    ("config", "copies", "total"), [(GLM45, 2, 358_337_791_296), (GLM45, 0, 356_785_898_816), (AIR, 2, 110_468_824_832)]
)
def test_published_totals(config, copies, total):
    found = architecture.load(config).ledger()
    assert sum(found.sections.values()) + copies * config["vocab_size"] * config["hidden_size"] == total


def test_layer_by_hand():
    found = architecture.load(GLM45).ledger()
    heads = 96 * 128
    attention = 2 * 5120 * heads + 2 * 5120 * 1024 + heads + 2 * 1024 + 2 * 128  # no bias of the output
    dense, moe = 3 * 5120 * 12288, 161 * 3 * 5120 * 1536 + 160 * 5120
    assert found.trained == 92 * (attention + 2 * 5120) + 3 * dense + 89 * moe + 2 * 151552 * 5120 + 5120 == 352_797_814_784
    assert found.parameters - found.trained == 89 * 160
    assert found.token_bytes == 92 * 2 * 1024 * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"head_dim": None}, "head_dim is missing"),
        ({"num_key_value_heads": 7}, "no multiple of num_key_value_heads = 7"),
        ({"attention_bias": "yes"}, "attention_bias = 'yes'"),
        ({"n_group": 3, "topk_group": 1}, "no multiple of n_group = 3"),
    ],
)
def test_bad_fields(fields, message):
    with pytest.raises(AIInfraError, match=message) as caught:
        architecture.load(GLM45 | fields)
    assert "\n" not in str(caught.value)
