"""Damaged configs give numbers that can be, or an error of one line: nothing else, and at once."""

import copy
import math
import random
import statistics
import sys
import time

import pytest
from small import SMALL

from aiinfra import architecture
from aiinfra.errors import AIInfraError, brief

try:
    import resource
except ImportError:  # Windows has none
    resource = None

HOW_MANY = 2000
STRANGE = [
    None, "", "64", "abc", "a\nb", True, False, 0, -1, -64, 1, 3, 7, 63, 10**3, 10**6, 10**9, 2**31, 10**12, 10**30, 10**5000, 0.0, 0.5,
    -1.5, 64.0,
    1e300, math.nan, math.inf, -math.inf, [], [1], [64] * 3, [None] * 4, ["full_attention"] * 4, ["full_attention"] * 100_000, [0, 1, 0, 1],
    [[]], {}, {"a": 1}, {"model_type": "llama"}, b"bytes", 10**5 * "x", (1, 2), {1: 2}, object(),
]  # fmt: skip
QUANTIZATIONS = [
    {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"},
    {"quant_method": "fp8", "modules_to_not_convert": ["gate", "lm_head", "model.layers.0.mlp"]},
    {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]},
    {"quant_method": "awq", "bits": 4, "group_size": 128},
    {"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": True, "desc_act": False, "dynamic": {r"-:.*down_proj": {}}},
    {
        "quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head", "re:.*self_attn.*"],
        "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32}}},
    },
    {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head", "model.layers.1.*"],
        "kv_cache_scheme": {"num_bits": 8, "type": "float"}},
    {"quant_algo": "MIXED_PRECISION", "quantized_layers": {"model.layers.0.mlp.down_proj": {"quant_algo": "FP8"}},
        "kv_cache_quant_algo": "FP8"},
    {"quant_method": "bitsandbytes", "load_in_4bit": True},
]  # fmt: skip


def places(table: dict, depth: int = 3) -> list[tuple[dict, str]]:
    """Every field of a config, those of nested parts too."""
    found = []
    for name, value in table.items():
        found.append((table, name))
        if isinstance(value, dict) and depth:
            found += places(value, depth - 1)
    return found


def damage(table: dict, rng: random.Random) -> None:
    """Change one thing of a config."""
    where, name = rng.choice(places(table) or [(table, "hidden_size")])
    value = where.get(name)
    kind = rng.randrange(14)
    if kind == 0:
        where.pop(name, None)
    elif kind == 1 and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        where[name] = rng.choice(
            [-value, value + 1, value - 1, value * 2, value * 10**6, float(value), str(value), [value], value / 3, value // 2]
        )
    elif kind == 2 and isinstance(value, list) and len(value) < 1000:
        where[name] = rng.choice([value[:-1], value + value, value[::-1], [], value * 1000, [[v] for v in value], value[0:1]])
    elif kind == 3:
        where[name] = {name: value}
    elif kind == 4:
        deep: object = value
        for _ in range(rng.choice([3, 50, 5000])):
            deep = [deep] if rng.random() < 0.5 else {name: deep}
        where[name] = deep
    elif kind == 5:
        table["model_type"] = rng.choice([*SMALL, "bert", "t5", "whisper", "clip", "unheard_of", "", 7, None])
    elif kind == 6:
        table["text_config"] = rng.choice([dict(table), copy.deepcopy(SMALL["llama"]), [], "text", {}, {"model_type": "llama"}, 3])
    elif kind == 7:
        donor = rng.choice(list(SMALL.values()))
        key = rng.choice(list(donor))
        where[key] = copy.deepcopy(donor[key])
    elif kind == 8:
        table["quantization_config"] = copy.deepcopy(rng.choice(QUANTIZATIONS))
    elif kind == 9:
        table[
            rng.choice(
                ["num_experts", "sliding_window", "layer_types", "num_mystery_heads", "ssm_x", "vision_config", "tie_word_embeddings"]
            )
        ] = rng.choice(STRANGE)
    else:
        where[name] = rng.choice(STRANGE)


def damaged() -> list[dict]:
    """The damaged configs, the same ones each time."""
    rng = random.Random(20261202)
    names, found = sorted(SMALL), []
    for number in range(HOW_MANY):
        table = copy.deepcopy(SMALL[names[number % len(names)]])
        if number % 3 == 0:
            table["quantization_config"] = copy.deepcopy(rng.choice(QUANTIZATIONS))
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            damage(table, rng)
        found.append(table)
    return found


def numbers(table: dict) -> list[float]:
    """All that a reader may ask of a config."""
    model = architecture.load(table)
    ledger = model.ledger()
    prefill, decode = ledger.prefill(300), ledger.decode(301, batch=2)
    works = [n for w in (prefill, decode) for n in (w.flops, w.weight_read, w.state_read, w.state_written)]
    state = [ledger.state(300), ledger.state_read(300), ledger.paged(300), ledger.token_bytes, ledger.fixed_bytes]
    assert model.warnings is not None and all("\n" not in w for w in model.warnings)
    return [ledger.parameters, ledger.trained, ledger.active, ledger.bytes, *ledger.sections.values(), *works, *state]


def memory() -> float:
    """The most memory that this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) if resource else 0


@pytest.mark.parametrize("family", SMALL)
def test_small_config(family):
    found = numbers(SMALL[family])
    assert all(n >= 0 for n in found) and found[0] > 0
    assert found[2] <= found[0]


def test_damaged_configs():
    tables = damaged()
    for table in SMALL.values():  # what is imported or generated once is not a config's own time
        numbers(table)
    times, answers, before_all = [], 0, memory()
    for table in tables:
        before = time.perf_counter()
        try:
            found = numbers(table)
        except AIInfraError as error:
            text = str(error)
            assert text and "\n" not in text and len(text) < 1000, (brief(table), text)
        else:
            answers += 1
            assert all(math.isfinite(n) and n >= 0 for n in found), (brief(table), found)
        times.append(time.perf_counter() - before)
    assert HOW_MANY / 10 < answers < HOW_MANY * 0.9
    assert statistics.median(times) < 0.05 and max(times) < 1, (statistics.median(times), brief(tables[times.index(max(times))]))
    assert memory() - before_all < 200e6
