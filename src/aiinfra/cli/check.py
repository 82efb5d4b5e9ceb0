"""``aiinfra check``."""

from __future__ import annotations

import click

from aiinfra.cli.output import Table, emit, formats, quantity


@click.command("check")
@click.argument("file", type=click.File(encoding="utf-8"))
@formats
@click.pass_context
def command(ctx, file, form: str | None = None) -> None:
    """The claims in FILE (- reads from a pipe), one to a line: KEY name=value … = claimed. Exit code 1 where one is wrong.

    \b
      $ echo "kv-bytes-per-token model=llama-3.1-70b = 2621 kB" | aiinfra check -
      1      kv-bytes-per-token   2.62 MB   328 kB   8 times   keys and values counted for query heads, not for key/value heads
    """
    from aiinfra.errors import BadValue
    from aiinfra.scenario.claims import check

    try:
        text = file.read()
    except UnicodeDecodeError:
        raise BadValue(f"{file.name}: not a text in UTF-8") from None
    found = check(text, file.name)
    rows = [row for v in found for row in described(v, form)]
    claims = [
        {"line": v.line, "key": v.key, "claimed": quantity(v.claimed), "true": quantity(v.true), "right": v.right, "factor": v.factor,
         "mistakes": list(v.mistakes)}
        for v in found
    ]  # fmt: skip
    emit(form, "check", {"claims": claims}, [Table(("line", "key", "claimed", "true", "verdict", "mistakes that would give it"), rows)])
    if not all(v.right for v in found):
        ctx.exit(1)


def described(v, form: str | None) -> list[tuple]:
    """A claim as a row; for people, every mistake has a line of its own."""
    first = (v.line, v.key, v.claimed.text(), v.true.text(), verdict(v))
    if form or not v.mistakes:
        return [(*first, "; ".join(v.mistakes))]
    return [(*(first if at == 0 else [""] * len(first)), mistake) for at, mistake in enumerate(v.mistakes)]


def verdict(v) -> str:
    """Right, or how many times too much."""
    return "right" if v.right else f"{v.factor:.3g} times"
