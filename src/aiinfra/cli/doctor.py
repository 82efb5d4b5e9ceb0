"""``aiinfra doctor``."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

import click

from aiinfra.cli.output import Table, emit, formats

NEEDED = ("sympy", "click", "rich")
OPTIONAL = {"numpy": "arrays", "distributed": "dask", "pyarrow": "parquet", "matplotlib": "plots"}


@click.command("doctor")
@formats
@click.pass_context
def command(ctx, form: str | None = None) -> None:
    """Whether this installation works: versions, optional packages, generated code, catalogue, terminal.

    \b
      $ aiinfra doctor
      formula        ok
    """
    from aiinfra import __version__

    rows = [("aiinfra", "ok", __version__), ("python", "ok" if sys.version_info >= (3, 11) else "broken", sys.version.split()[0])]
    for name in (*NEEDED, *OPTIONAL):
        try:
            rows.append((name, "ok", version(name)))
        except PackageNotFoundError:
            extra = OPTIONAL.get(name)
            rows.append((name, "absent", f"pip install 'aiinfra[{extra}]'") if extra else (name, "broken", "is needed"))
    for name, test in (("numeric code", _code), ("catalogue", _catalogue), ("formula", _formula), ("terminal", _terminal)):
        try:
            rows.append((name, "ok", test()))
        except Exception as error:  # whatever is wrong is what is to be told
            rows.append((name, "broken", f"{type(error).__name__}: {' '.join(str(error).split())}"))
    document = {"checks": [dict(zip(("name", "state", "detail"), row, strict=True)) for row in rows]}
    emit(form, "doctor", document, [Table(("check", "state", "detail"), rows)])
    if any(state == "broken" for _, state, _ in rows):
        ctx.exit(1)


def _code() -> str:
    from aiinfra.engine import table

    found = table.table()  # made anew if it was of another version
    if not table.TARGET.is_file() or repr(table.digest()) not in table.TARGET.read_text(encoding="utf-8"):
        raise OSError(f"{table.TARGET} is not that of these formulas and cannot be written, so each start makes it anew")
    return f"up to date: {len(found.records)} formulas, {len(found.symbols)} symbols"


def _catalogue() -> str:
    from aiinfra import catalog

    kinds = {"models": catalog.models, "devices": catalog.devices, "measurements": catalog.measurements}
    return ", ".join(f"{len(list(entries().values()))} {name}" for name, entries in kinds.items())  # reads every one


def _formula() -> str:
    from aiinfra import formula, model

    found = formula("kv-bytes-per-token")(model("llama-3.1-70b"))
    if found.value != 2 * 80 * 8 * 128 * 2:
        raise ArithmeticError(f"kv-bytes-per-token of llama-3.1-70b gives {found!r}")
    return f"kv-bytes-per-token of llama-3.1-70b = {found!r}"


def _terminal() -> str:
    import shutil

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    "µs ≥ × · – │ ─".encode(encoding)
    where = f"{shutil.get_terminal_size().columns} columns" if sys.stdout.isatty() else "none, output goes to a file or a pipe"
    return f"{where}; {encoding.lower()}"
