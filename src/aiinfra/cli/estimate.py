"""``aiinfra estimate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aiinfra.cli.deployment import deployment, scenario
from aiinfra.cli.inputs import limits
from aiinfra.cli.output import Table, emit, formats, quantity

if TYPE_CHECKING:
    from aiinfra.units import Quantity

ROWS = (  # what people ask for -> the name of its bound, and the stem of what is expected
    ("time to first token, idle", "prefill.bound", "prefill.expected"),
    ("time of a step", "decode.bound", "decode.expected"),
    ("time per token, in service", "decode.bound", "service.tpot.expected"),
    ("time of an answer, idle", "answer.bound", "answer.expected"),
    ("requests a second", "service.rate.bound", "service.rate.expected"),
    ("answer tokens a second", "service.tokens.bound", "service.tokens.expected"),
    ("price per token", "cost.bound", "cost.expected"),
    ("energy per token", "", "energy.expected"),
    ("MFU of a prompt", "", "prefill.mfu"),
    ("MFU of a step", "", "decode.mfu"),
    ("MBU of a step", "", "decode.mbu"),
)
SERVED = tuple(f"service.{what}.{end}" for what in ("rate", "tokens") for end in ("bound", "expected.slow", "expected.fast"))
ALIASES = {  # names for --assert: of a forecast the slow end, which is the careful one
    "ttft": "prefill.expected.slow", "tpot": "service.tpot.expected.slow", "step": "decode.expected.slow", "e2e": "answer.expected.slow",
    "tokens": "service.tokens.expected.slow", "rate": "service.rate.expected.slow", "cost": "cost.expected.slow",
    "energy": "energy.expected.slow", "memory": "memory.used",
}  # fmt: skip


@click.command("estimate")
@deployment
@click.option("--explain", "explained", metavar="NAME", help="The tree of one result, from --json's names.")
@limits
@formats
@click.pass_context
def command(ctx, explained, limits, form: str | None = None, fields: dict | None = None, file=None) -> None:
    """What a deployment needs, how fast it is, what it costs, and what binds it: bounds, and what is expected.

    A limit is given as --assert "tpot<=40ms", with ttft, tpot, step, e2e, tokens, rate, cost, energy, memory, or any name of a result.
    ttft and e2e are those of an idle instance, without a queue. tokens and rate are those of one instance; tokens.device and
    tokens.all, rate.device and rate.all are those of one device and of all replicas.
    What binds is told by the work that is expected, of experts those that are touched on average; a bound may count less.

    \b
      $ aiinfra estimate --model llama-3.1-70b --device h100-sxm --tp 8 --batch 32 --prompt 2048 --output 128
      time of a step   >= 6.01 ms   13.2 ms to 7.76 ms
    """
    from aiinfra.cli import limits as limit

    bounds = [limit.read(text) for text in limits]
    s = scenario(fields, file)
    estimate = s.estimate()
    broken = [one for one in bounds if not one.holds(of(estimate, one.name))]
    if explained is not None:
        from aiinfra.cli.explain import flat, tree

        node = estimate.explain(ALIASES.get(explained, explained))
        emit(form, "estimate", {"tree": tree(node)}, [flat(node)] if form == "csv" else [], node.lines())
    else:
        tables = [everything(estimate)] if form == "csv" else [memory(estimate), speeds(estimate), ledger(estimate), turns(estimate)]
        emit(form, "estimate", document(estimate), tables, () if form else head(estimate))
    for one in broken:
        click.echo(f"aiinfra: {one.name} = {of(estimate, one.name).text()} breaks {one.name}{one.sign}{one.value.text()}", err=True)
    if broken:
        ctx.exit(1)


def of(e, name: str) -> Quantity:
    """A result by its name or short name; rates also of one device (``.device``) and of all replicas (``.all``)."""
    stem, _, whose = name.rpartition(".")
    served = ALIASES.get(stem, stem)
    if served in SERVED and whose in ("device", "all"):
        return e[served] / e.scenario.tp if whose == "device" else e[served] * e.scenario.replicas
    return e[ALIASES.get(name, name)]


def head(e) -> list[str]:
    """What is estimated, in words."""
    s, v = e.scenario, e.values
    formats_ = f"weights {s.weights or 'as published'}, cache {s.kv or e.ledger.kv.name}, computed in {s.computed_in}"
    lines = [f"{s.architecture.key} on {s.replicas} x {s.tp} {s.hardware.key}: {formats_}"]
    lines += [f"{v['batch']:,} requests of {s.prompt:,} + {s.output:,} tokens per instance, {s.cached:,} of a prompt in the cache"]
    lines += [f"note: {w}" for w in s.warnings]
    return [*lines, f"what binds: {e.binds('prefill')} for a prompt, {e.binds('decode')} for a step"]


def memory(e) -> Table:
    """Memory of one device by part."""
    rows = [(name, e[key].text()) for name, key in (("weights", "memory.weights"), ("workspace", "memory.workspace"))]
    rows += [("state of all requests", (e["memory.request"] * e.values["batch"]).text()), ("of one request", e["memory.request"].text())]
    rows += [("used", e["memory.used"].text()), ("left", e["memory.headroom"].text())]
    rows += [("largest batch", f"{e.values['memory.batch_max']:,}"), ("at their mean length", f"{e.values['memory.batch_mean']:,}")]
    rows += [("longest context", f"{e.longest_context:,}")]
    return Table(("memory of one device", "value"), rows)


def speeds(e) -> Table:
    """Bounds, and what is expected from slow to fast."""
    rows = []
    for name, bound, stem in ROWS:
        if f"{stem}.slow" in e.values:
            spec = {"price per token": ".3g $/Mtoken"}.get(name, "")
            slow, fast = e[f"{stem}.slow"].text(spec), e[f"{stem}.fast"].text(spec)
            rows.append((name, f"{e[bound].relation} {e[bound].text(spec)}" if bound in e.values else "–", f"{slow} to {fast}"))
        if stem == "service.tokens.expected":
            rows += [(f"  {whose}", f"<= {bound}", f"{slow} to {fast}") for whose, (bound, slow, fast) in shares(e)]
    rows.append(("tokens a second, a user", f"<= {1 / e.values['decode.bound']:.3g}", _user(e)))
    return Table(("result", "bound", "expected, slow to fast"), rows)


def shares(e) -> list[tuple[str, list[str]]]:
    """Tokens a second of one device, and of all replicas where there are several: bound, slow and fast."""
    tokens = [e[f"service.tokens.{end}"] for end in ("bound", "expected.slow", "expected.fast")]
    found = [("of one device", [(q / e.scenario.tp).text() for q in tokens])]
    if (n := e.scenario.replicas) > 1:
        found.append((f"of all {n} replicas", [(q * n).text() for q in tokens]))
    return found


def _user(e) -> str:
    return " to ".join(f"{1 / e.values[f'service.tpot.expected.{end}']:.3g}" for end in ("slow", "fast"))


def ledger(e) -> Table:
    """What moves, how much, how many times, through which path, who waits."""
    rows = [(x.phase, x.what, x.amount.text(), f"{x.times:,}", x.path, x.time.text(), x.waits) for x in e.lines]
    return Table(("phase", "what moves", "how much", "times", "path", "time at rated speed", "who waits"), rows, folds=True)


def turns(e) -> Table:
    """Where something else would bind."""
    from aiinfra.units import Quantity, byte, second

    rows = []
    for f in e.flips:
        at = "never" if f.at is None else Quantity(f.at, byte / second).text() if f.of == "bandwidth" else f"{f.at:,.0f}"
        rows.append((f.of, at, f.now, f.then, f.why or f.how))
    return Table(("turns with", "at", "from", "to", "how"), rows)


def everything(e) -> Table:
    """Every result by name."""
    rows = [(name, q.value, q.unit.text, q.relation) for name in e for q in (e[name],)]
    return Table(("name", "value", "unit", "relation"), rows)


def document(e) -> dict:
    """An estimate as JSON has it."""
    from aiinfra.units import parse

    s = e.scenario
    given = {"model": s.architecture.key, "device": s.hardware.key, "computed_in": s.computed_in}
    own = ("tp", "replicas", "prompt", "output", "concurrency", "prefix_hit", "weights", "kv", "activations", "dtype", "chunk", "page")
    given |= {name: getattr(s, name) for name in own} | {"batch": e.values["batch"]}
    given |= {name: None if value is None else quantity(parse(value) if isinstance(value, str) else value)
              for name in ("price", "power", "memory") for value in (getattr(s, name),)}  # fmt: skip
    lines = [x._asdict() | {"amount": quantity(x.amount), "time": quantity(x.time)} for x in e.lines]
    return {
        "scenario": given,
        "assumptions": {a.symbol: {"slow": a.slow, "fast": a.fast, "why": a.why, "source": a.source} for a in s.assumptions.values()},
        "warnings": list(s.warnings),
        "results": {name: quantity(e[name]) for name in e if e.values[name] == e.values[name]},
        "binds": {phase: e.binds(phase) for phase in ("prefill", "decode")},
        "longest_context": e.longest_context,
        "per_device": {n: quantity(e[n] / s.tp) for n in SERVED if n in e.values},
        "all_replicas": {n: quantity(e[n] * s.replicas) for n in SERVED if n in e.values},
        "ledger": lines,
        "flips": [f._asdict() for f in e.flips],
    }
