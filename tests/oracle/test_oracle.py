"""The ledger against PyTorch and `transformers`: parameters, matrix FLOPs and cache of one small model per architecture."""

from collections import Counter
from math import prod

import pytest
import truth
from cases import BATCH, CASES, TOKENS

from aiinfra import architecture

BY_ELEMENT = ("delta rule", "gated recurrence", "product")  # no matrix products there: torch does not count them
COMPUTED = ("slope_rate", "query_decay", "key_decay", "diagonal_decay")  # buffers of MiniMax that follow from the config
SAME = {"convolution": "recurrent"}
PARTS = ("embedding", "attention", "index", "mlp", "experts", "recurrent", "head")


def part(row):
    name = SAME.get(row.part, row.part)
    return name if name in PARTS else "other"


@pytest.fixture(params=CASES)
def name(request):
    return request.param


@pytest.fixture
def ledger(name):
    return architecture.load(CASES[name]).ledger()


def by_part(work):
    parts = Counter()
    for entry in work.entries:
        if entry.row.kind not in BY_ELEMENT:
            parts[part(entry.row)] += entry.flops
    return dict(+parts)


def test_parameters(name, ledger):
    said = truth.parameters(CASES[name])
    buffers = sum(prod(shape) for path, shape in said["kept"].items() if not path.endswith(COMPUTED))
    assert ledger.trained == said["total"]
    assert ledger.parameters == said["total"] + buffers
    matrices = Counter()
    for row in ledger.rows:
        if row.kind in ("matrix", "table", "convolution") and not (row.tied or row.buffer) and row.section == "language":
            matrices[part(row)] += row.value(row.d_in) * row.value(row.d_out) * row.value(row.copies) * row.layers
    assert dict(+matrices) == said["parts"]


def test_prefill(name, ledger):
    said = truth.run(name)
    work = ledger.prefill(said["tokens"], batch=said["batch"], logits="all", convention="rectangle")
    assert by_part(work) == said["prefill"]["parts"]


def test_decode(name, ledger):
    said = truth.run(name)
    work = ledger.decode(said["tokens"] + 1, batch=said["batch"], latent="expanded")
    assert by_part(work) == said["decode"]["parts"]


def test_state(name, ledger):
    said = truth.run(name)
    rows = [row for row in ledger.state_rows if row.name != "waiting"]
    assert sum(row.bytes(said["tokens"], ledger.kv.element) for row in rows) == sum(layer["bytes"] for layer in said["state"])


@pytest.mark.parametrize("name", ["gpt2", "llama", "mixtral"])
def test_training(name, ledger):
    assert ledger.training(TOKENS, batch=BATCH, convention="rectangle").flops == truth.training(name)
