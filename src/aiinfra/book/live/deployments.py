"""What the page of deployments knows: the steps of an estimate, all devices, and for each model the profiles of its ledgers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from aiinfra import catalog
from aiinfra.architecture.split import _obstacle, reductions
from aiinfra.book.live import requests
from aiinfra.book.live.data import text
from aiinfra.cli.estimate import ROWS
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError
from aiinfra.formats import FORMATS, bytes_of
from aiinfra.scenario import Scenario, assumptions
from aiinfra.scenario.estimate import Estimate, profile_of
from aiinfra.scenario.steps import COST, ENERGY, LINKS, STEPS

TP = (1, 2, 4, 8, 16, 32, 64)
WEIGHTS = ("", "bf16", "fp8", "int4-group128", "nvfp4")  # the first: as published
KV = ("", "bf16", "fp8")
DTYPES = ("bf16", "fp16", "fp8", "int8", "fp4")
REACHES = ("causal", "window", "chunk", "chosen", "blocks", "compressed")
BOUNDS = ("beta_mem", "beta_link", "usable", "capacity", "power", "price", "beta_host")


def models() -> dict[str, dict]:
    """Every model with what does not depend on how it is split."""
    found = {}
    for key, entry in catalog.models().items():
        a = entry.architecture
        tps = [tp for tp in TP if not _obstacle(a, tp)]
        s = Scenario(model=key, device="h100-sxm", prompt=1, output=2)
        others = [name for name in a.ledger().sections if name != "language"]
        found[key] = {
            "name": entry.name, "tp": tps, "most": a.max_context, "dense": a.dense, "d_model": a.d_model, "notes": list(a.warnings),
            "others": others, "kv": a.ledger().kv.name, "widest": s._widest.name,
            "reductions": reductions(a), "least": reductions(a, kept=True),
        }  # fmt: skip
    return found


def devices() -> dict[str, dict]:
    """Every device with a bandwidth, for each format that its matrix units compute in."""
    found = {}
    for key, device in catalog.devices().items():
        have = [name for name in DTYPES if any(p.input == name and not p.sparse for p in device.peaks)]
        facts = {n: v for n, v in device.symbols(None).items() if n in BOUNDS and n != "price"}
        if "beta_mem" not in facts or not {"usable", "capacity"} & facts.keys() or "bf16" not in have:
            continue
        row = {"name": device.name, "facts": facts, "measured": device.capacity_usable is not None, "formats": {}}
        row["facts"].setdefault("usable", facts.get("capacity"))
        if device.price is not None:
            row["facts"]["price"] = device.price.value.value
        row["domain"] = int(device.link_domain.value) if device.link_domain else None
        for name in have:
            held = assumptions.of(device, name, {})
            row["formats"][name] = {
                "peak": device.peak(name).value.value,
                "assumed": {a.symbol: [a.slow, a.fast] for a in held.values()},
                "elsewhere": [list(assumptions.elsewhere(held, device, tp)) for tp in (1, 2)],
            }
        found[key] = row
    return found


def formats() -> dict[str, dict]:
    """Formats with the width of an element and the kind of arithmetic that it asks for."""
    kinds = {}
    for name, f in FORMATS.items():
        wanted = {1: "int8" if f.name.startswith("int8") else "fp8", 0.5: "fp4" if "fp4" in f.name else ""}.get(f.element, "")
        kinds[name] = {"element": f.element, "kind": wanted}
    return kinds


def base() -> str:
    """The script that every page of deployments needs."""
    steps = [*STEPS, *COST, *ENERGY]
    e = Estimate(Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8))
    names = sorted(
        {n for row in ROWS for n in _named(row)} | {f"memory.{n}" for n in ("weights", "workspace", "request", "used", "headroom")}
    )
    reached = [f"{kind}-{what}" for kind in REACHES for what in ("entries", "pairs")]
    wanted = {s.formula for s in steps} | {k for k in reached if k in table().records} | {"blocks-before", "experts-touched"}
    data = {
        "steps": [[s.name, s.formula, dict(s.inputs), s.ends] for s in steps],
        "rows": ROWS,
        "units": {n: requests.unit_of(e.unit(n)) for n in names if n in e.values},
        "relations": {row[1]: e.relation(row[1]) for row in ROWS if row[1] in e.values},
        "models": models(), "devices": devices(), "formats": formats(), "weights": WEIGHTS, "kv": KV, "activation": bytes_of("bf16"),
        "links": LINKS,
        "cost": [s.name for s in COST], "energy": [s.name for s in ENERGY],
    }  # fmt: skip
    return f"aiinfra.deployments({{formulas: {requests.functions(sorted(wanted))},\n...{text(data)}}});\n"


def _named(row: tuple) -> list[str]:
    return [name for name in (row[1], f"{row[2]}.slow", f"{row[2]}.fast") if name]


def profiles(key: str) -> str:
    """The script of one model: for each number of devices what is computed, and for each format what is stored and read."""
    a, found = catalog.model(key).architecture, {}
    for tp in TP:
        if _obstacle(a, tp):
            continue
        whole = asdict(profile_of(a.ledger(None, None, tp)))
        one = {n: whole[n] for n in ("processed", "processed_least", "decoded", "decoded_least", "widest", "reaches")}
        one["weights"], one["kv"] = {}, {}
        for name in WEIGHTS:
            try:
                p = profile_of(a.ledger(name or None, None, tp))
            except AIInfraError as error:
                one["weights"][name] = str(error)
                continue
            one["weights"][name] = [p.weights, p.weight_bytes]
        for name in KV:
            p = profile_of(a.ledger(None, name or None, tp))
            one["kv"][name] = {n: getattr(p, n) for n in ("state", "found", "shared", "held", "kept")}
        found[tp] = one
    return f"aiinfra.deploymentModel({text(key)}, {text(found)});\n"


def write(static: Path) -> None:
    """All scripts, one for each model, which the page fetches when it is chosen."""
    folder = static / "deployments"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("base.js").write_text(base(), encoding="utf-8")
    for key in catalog.models():
        folder.joinpath(f"{key}.js").write_text(profiles(key), encoding="utf-8")
