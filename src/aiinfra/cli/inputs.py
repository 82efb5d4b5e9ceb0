"""Arguments that several commands share, with completion of names."""

from __future__ import annotations

from collections.abc import Callable

import click


def completing(names: Callable[[], object]):
    """Completion of a name from a list that is read only then."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _formulas():
    from aiinfra import formula_keys

    return formula_keys()


def _models():
    from aiinfra import models

    return models()


def _devices():
    from aiinfra import devices

    return devices()


def _formats():
    from aiinfra.formats import FORMATS

    return FORMATS


KEY = click.argument("key", shell_complete=completing(_formulas))
FORMAT = completing(_formats)
MODEL = completing(_models)
DEVICE = completing(_devices)


def formula_inputs(command: Callable) -> Callable:
    """Model, device, dtype and name=value inputs of a formula; they arrive as ``model``, ``device``, ``dtype``, ``given``."""
    command = click.argument("given", nargs=-1, metavar="[NAME=VALUE]…")(command)
    command = click.option("--dtype", shell_complete=FORMAT, help="Format computed in.")(command)
    command = click.option("--device", shell_complete=DEVICE, help="Device of the catalogue.")(command)
    return click.option("--model", shell_complete=MODEL, help="Model of the catalogue, or a config.json.")(command)


def entries(model: str | None, device: str | None) -> tuple:
    """The catalogue entries of the options."""
    from aiinfra import architecture, catalog
    from aiinfra.errors import AIInfraError

    found = []
    if model is not None:
        try:
            found.append(catalog.model(model) if model in catalog.models() or not _path(model) else architecture.load(model))
        except AIInfraError as error:
            raise error if str(error).startswith("unknown model") else type(error)(f"model = {error}") from None
    if device is not None:
        found.append(catalog.device(device))
    return tuple(found)


def asked(model: str | None, device: str | None, dtype: str | None, given: tuple[str, ...]) -> tuple[tuple, str | None, dict]:
    """Entries, format computed in and inputs of a formula; model, device and dtype may stand among the inputs, as in the book."""
    from aiinfra import words
    from aiinfra.errors import BadValue, brief

    own = words.pairs(given)
    options = {"model": model, "device": device, "dtype": dtype}
    for name, option in options.items():
        if option is not None and name in own:
            raise BadValue(f"{name} is given twice: {brief(option)} and {brief(str(own[name]))}")
        if name in own:
            options[name] = str(own.pop(name))
    return entries(options["model"], options["device"]), options["dtype"], own


def _path(text: str) -> bool:
    return "/" in text or "\\" in text or text.endswith(".json")


def limits(command: Callable) -> Callable:
    """The option --assert, which may be given several times and arrives as ``limits``."""
    return click.option("--assert", "limits", multiple=True, metavar="LIMIT", help="Exit with 1 where it does not hold: '<=40ms'.")(command)
