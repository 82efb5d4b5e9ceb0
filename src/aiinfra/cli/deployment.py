"""The options that describe a deployment, shared by estimate, compare and sweep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from aiinfra.cli.inputs import DEVICE, FORMAT, MODEL

# field -> metavar and help; a value is read as a number where it is written as one
FIELDS = {
    "model": ("NAME|PATH", "Model of the catalogue, or a config.json."),
    "device": ("NAME", "Device of the catalogue."),
    "tp": ("N", "Devices of one instance, which share every matrix."),
    "replicas": ("N", "Instances."),
    "batch": ("N|max", "Requests that one instance decodes together; 1 unless --concurrency is given."),
    "concurrency": ("N", "Requests of all replicas, in place of --batch."),
    "prompt": ("N", "Tokens of a prompt."),
    "output": ("N", "Tokens of an answer."),
    "prefix_hit": ("SHARE", "Share of the prompt found in the cache."),
    "weights": ("FORMAT", "Format of all matrices of the layers."),
    "kv": ("FORMAT", "Format of the cache."),
    "activations": ("FORMAT", "Format of activations."),
    "dtype": ("FORMAT", "Format computed in."),
    "chunk": ("N", "Tokens of the largest pass."),
    "page": ("N", "Tokens of one page of the cache."),
    "price": ("PRICE", "Price of one device, such as $2.50/h."),
    "power": ("POWER", "Power of one device, such as 700W."),
    "memory": ("BYTES", "Usable memory of one device, such as 64GB."),
}
COMPLETION = {"model": MODEL, "device": DEVICE, **dict.fromkeys(("weights", "kv", "activations", "dtype"), FORMAT)}


def deployment(command: Callable) -> Callable:
    """Options for every field of a scenario, a file with the rest, and assumptions; they arrive as ``fields``."""

    def collect(ctx: click.Context, param: click.Parameter, value: object) -> None:
        if value in (None, ()):
            return
        fields = ctx.params.setdefault("fields", {})
        if param.name == "assume":
            fields["assume"] = dict(pair(text) for text in value)
        elif param.name == "file":
            ctx.params["file"] = value
        else:
            from aiinfra import words

            fields[param.name] = words.number(value)

    from aiinfra.scenario.inputs import Scenario

    for name, (metavar, says) in reversed(FIELDS.items()):
        default = getattr(Scenario, name, None)
        says = says if default is None else f"{says}  [default: {default}]"
        more = {"shell_complete": COMPLETION[name]} if name in COMPLETION else {}
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, name, metavar=metavar, help=says, expose_value=False, callback=collect, **more)(command)
    says = "An assumption: a number, or slow,fast; several times."
    command = click.option("--assume", multiple=True, metavar="NAME=VALUE", help=says, expose_value=False, callback=collect)(command)
    path, says = click.Path(dir_okay=False, path_type=Path), "A scenario in TOML; options replace its fields."
    return click.option("--file", type=path, help=says, expose_value=False, callback=collect)(command)


def pair(text: str) -> tuple[str, object]:
    """An assumption from NAME=VALUE or NAME=SLOW,FAST."""
    from aiinfra import words

    [(name, value)] = words.pairs([text]).items()
    if isinstance(value, str) and "," in value:
        return name, [words.number(part) for part in value.split(",")]
    return name, value


def merged(fields: dict | None, file: Path | None) -> dict[str, object]:
    """The fields of a file with the options in place of them; assumptions are put in one by one."""
    from aiinfra.scenario.inputs import fields_of

    found = fields_of(file) if file is not None else {}
    fields = fields or {}
    if isinstance(found.get("assume"), dict) and "assume" in fields:
        fields = fields | {"assume": found["assume"] | fields["assume"]}
    return found | fields


def scenario(fields: dict | None, file: Path | None):
    """The scenario of the options, or of a file with the options in place of its fields."""
    from aiinfra.scenario import Scenario

    return Scenario.of(merged(fields, file))
