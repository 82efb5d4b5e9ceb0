"""``aiinfra doctor``."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

import click

from aiinfra.cli.output import Table, emit, formats


@click.command("doctor")
@formats
@click.pass_context
def command(ctx, form: str | None = None) -> None:
    """Whether this installation works: versions, optional packages, generated code, catalogue.

    \b
      $ aiinfra doctor
      formula   ok
    """
    rows = [("python", "ok" if sys.version_info >= (3, 11) else "broken", sys.version.split()[0])]
    for name, extra in (("sympy", ""), ("click", ""), ("rich", ""), ("numpy", "arrays"), ("distributed", "dask"), ("matplotlib", "plots")):
        try:
            rows.append((name, "ok", version(name)))
        except PackageNotFoundError:
            rows.append((name, "absent" if extra else "broken", f"pip install 'aiinfra[{extra}]'" if extra else "needed"))
    for name, test in (("numeric code", _code), ("catalogue", _catalogue), ("formula", _formula)):
        try:
            rows.append((name, "ok", test()))
        except Exception as error:  # whatever is wrong is what is to be told
            rows.append((name, "broken", f"{type(error).__name__}: {error}"))
    document = {"checks": [dict(zip(("name", "state", "detail"), row, strict=True)) for row in rows]}
    emit(form, "doctor", document, [Table(("check", "state", "detail"), rows)])
    if any(state == "broken" for _, state, _ in rows):
        ctx.exit(1)


def _code() -> str:
    from aiinfra.engine.table import table

    return f"{len(table().records)} formulas, {len(table().symbols)} symbols"


def _catalogue() -> str:
    from aiinfra import catalog

    return f"{len(list(catalog.models().values()))} models, {len(list(catalog.devices().values()))} devices"


def _formula() -> str:
    from aiinfra import formula, model

    found = formula("kv-bytes-per-token")(model("llama-3.1-70b"))
    if found.value != 2 * 80 * 8 * 128 * 2:
        raise ArithmeticError(f"kv-bytes-per-token of llama-3.1-70b gives {found!r}")
    return f"kv-bytes-per-token of llama-3.1-70b = {found!r}"
