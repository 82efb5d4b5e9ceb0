"""What chapters ask of a model's ledger: values worked out by hand, the tables, and mistakes that are one line."""

import re

import pytest

from aiinfra.book.calls import Cases, ask
from aiinfra.errors import AIInfraError

# Llama 3.1 8B: 32 layers of width 4,096, 32 query and 8 key/value heads of width 128, MLP of 14,336, 128,256 rows in each table
LAYER = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
MATRICES = 32 * LAYER + 128256 * 4096
TOTAL = 32 * (LAYER + 2 * 4096) + 2 * 128256 * 4096 + 4096


def pairs(tokens):
    return 4 * 32 * 32 * 128 * tokens


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("ledger llama-3.1-8b parameters", TOTAL),
        ("ledger llama-3.1-8b active part=mlp", 32 * 3 * 4096 * 14336),
        ("ledger llama-3.1-8b parameters row=q_proj", 32 * 4096 * 4096),
        ("ledger llama-3.1-8b bytes weights=fp8", (TOTAL - 32 * LAYER) * 2 + 32 * LAYER),
        ("ledger llama-3.1-8b token-bytes kv=fp8", 2 * 32 * 1024),
        ("ledger llama-3.1-8b state context=1000", 2 * 32 * 1024 * 2 * 1000),
        ("ledger llama-3.1-8b state-paged context=1001 block=16", 2 * 32 * 1024 * 2 * 1008),
        ("ledger llama-3.1-8b decode-flops context=1000 batch=3", 3 * (2 * MATRICES + pairs(1000))),
        ("ledger llama-3.1-8b decode-flops @long part=attention row='scores and values'", pairs(5000)),
        ("ledger llama-3.1-8b prefill-flops prompt=100", 100 * 2 * 32 * LAYER + 2 * 128256 * 4096 + pairs(5050)),
        ("ledger llama-3.1-8b prefill-flops prompt=10 cached=90 logits=all", 10 * 2 * MATRICES + pairs(5050 - 4095)),
        ("ledger llama-3.1-8b training-flops sequence=100 convention=rectangle", 3 * (100 * 2 * MATRICES + pairs(10_000))),
        ("ledger llama-3.1-8b decode-state context=1000 / ledger llama-3.1-8b state context=1000", 1),
        ("ledger llama-3.1-8b answer-flops prompt=7 answer=1 - ledger llama-3.1-8b prefill-flops prompt=7", 0),
        ("ledger llama-3.1-8b decode-flops context='(mean-context prompt=2 answer=4)'", 2 * MATRICES + pairs(4)),
        ("ledger deepseek-v3 token-bytes", 70272),
        ("ledger deepseek-v3 parameters section=mtp as ,.0f", 11_610_068_224),
        ("ledger mixtral-8x7b active", 12_879_925_248),
    ],
)
def test_answers_are_those_worked_out_by_hand(request_, expected):
    cases = Cases()
    cases.add("long", "context=5000 devices=3")
    assert ask(request_, cases).value.value == expected


def test_reads_of_experts_are_a_model_and_others_exact():
    assert ask("ledger llama-3.1-8b decode-read context=10").value.relation == "="
    assert ask("ledger mixtral-8x7b decode-read context=10").value.relation == "~"
    assert ask("ledger mixtral-8x7b decode-flops context=10").value.relation == "="


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("ledger", "expected a model and a quantity"),
        ("ledger llama-3.1-8b", "expected a model and a quantity"),
        ("ledger llama-3.1-9b parameters", "unknown model 'llama-3.1-9b'; near: llama-3.1-8b"),
        ("ledger llama-3.1-8b parameter", "unknown quantity of a ledger 'parameter'; near: parameters"),
        ("ledger llama-3.1-8b parameters bytes", "expected a model and a quantity"),
        ("ledger llama-3.1-8b state", "state of a ledger needs context"),
        ("ledger llama-3.1-8b decode-flops", "decode-flops of a ledger needs context"),
        ("ledger llama-3.1-8b parameters context=8", "parameters of a ledger does not use context"),
        ("ledger llama-3.1-8b parameters part=expert", "unknown part of the ledger 'expert'; "),
        ("ledger llama-3.1-8b parameters row=w1", "unknown row of the ledger 'w1'; "),
        ("ledger llama-3.1-8b decode-flops context=1.5", "context = 1.5: must be a whole number"),
        ("ledger llama-3.1-8b decode-flops context=long", "context = 'long': must be a whole number"),
        ("ledger llama-3.1-8b decode-flops context=8 devices=8", "unknown setting of a ledger 'devices'"),
        ("ledger llama-3.1-8b decode-flops context=8 section=vision", "llama-3.1-8b has language"),
        ("ledger llama-3.1-8b bytes weights=fp3", "unknown format 'fp3'; near: "),
    ],
)
def test_a_mistake_is_one_line(request_, says):
    with pytest.raises(AIInfraError, match=re.escape(says)) as error:
        ask(request_)
    assert "\n" not in str(error.value)


TABLES = """# Tables

```{matrices} mixtral-8x7b
:context: 1000
```

```{matrices} gemma-3-27b
:section: vision
```

```{states} llama-3.1-8b deepseek-v3 mamba2-2.7b
:context: 1000 2000
:kv: fp8
```

```{rules} llama-3.1-8b mixtral-8x7b
:context: 1000
```

```{roofline} llama-3.1-8b h100-sxm
:context: 1000
:batch: 4
```

```{roofline} llama-3.1-8b h100-sxm
:prompt: 1000
:dtype: fp8
:weights: fp8
:devices: 2
```
"""


@pytest.fixture(scope="module")
def built(library):
    book = library("ledgers", {"tables": TABLES})
    app = book.build()
    assert book.warnings(app) == []
    return re.sub(r"<[^>]+>", " ", (book.folder / "_build/html/tables.html").read_text(encoding="utf-8"))


def test_the_table_of_matrices_sums_up(built):
    text = " ".join(built.split())
    assert "46,702,792,704" in text and "8, 2 used" in text
    assert f"{4096:,} × {14336:,}" in text
    assert "416,866,032" in text  # of the vision tower


def test_the_table_of_states(built):
    text = " ".join(built.split())
    assert "65.5 kB" in text  # Llama 3.1 8B, FP8: 2 · 32 · 1,024 B a token
    assert "35.1 kB" in text  # DeepSeek-V3: 61 · 576 B
    assert "70.3 MB" in text  # of 2,000 tokens


def test_the_table_of_rules(built):
    exact = 2 * MATRICES + pairs(1000)
    assert f"{2 * TOTAL / exact:.2f}" in built
    assert f"{100 * pairs(1000) / exact:.1f}\N{NO-BREAK SPACE}%" in built


def test_the_table_of_a_roofline(built):
    text = " ".join(built.split())
    read = 32 * 2 * (3 * 4096 * 14336) + 3 * 32 * 2 * 4 * (4096 + 14336)  # the MLP's matrices, and their vectors for four tokens
    assert f"{read / 3 / 1e9:.3g} GB" in text
    assert f"{32 * 2 * 4 * 4096 * 14336 / (read / 3):.3g}" in text
    assert "a decode step at 1,000 tokens, 4 requests" in text and "on 2 NVIDIA H100" in text
    assert "memory" in text and "compute" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```{roofline} llama-3.1-8b h100-sxm\n```", "roofline: give either context, of a decode step, or prompt"),
        ("```{roofline} llama-3.1-8b m3-ultra-80\n:context: 9\n```", "roofline: m3-ultra-80 has no published peak dense bf16"),
        ("```{matrices} nobody\n```", "matrices: unknown model 'nobody'"),
        ("```{matrices} llama-3.1-8b\n:section: audio\n```", "matrices: sections = ('audio',): llama-3.1-8b has language"),
        ("```{states} llama-3.1-8b\n:kv: fp3\n```", "states: unknown format 'fp3'"),
        ("```{states} llama-3.1-8b\n:context: long\n```", "states: invalid literal"),
        ("```{rules} llama-3.1-8b\n:context: 0\n```", "rules: context = 0: must be a whole number from 1"),
    ],
)
def test_a_wrong_table_is_a_warning_at_its_line(library, text, says):
    book = library("wrong", {"one": f"# One\n\n{text}\n"})
    (found,) = book.warnings(book.build())
    assert found[:2] == ("one", 3)
    assert found[2].startswith(says)
