"""The command ``aiinfra``. Each command is a module of its own, which is imported when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from aiinfra import __version__

COMMANDS = {  # name -> module and what it does, so that the list of commands imports none of them
    "list": ("listing", "Formulas, models, devices, symbols or measurements by name."),
    "show": ("show", "Everything known of one of them, with its sources."),
    "eval": ("evaluate", "Evaluate a formula."),
    "explain": ("explain", "The tree from a formula's result down to sourced values."),
    "solve": ("solve", "The input of a formula at which its result is reached."),
    "model": ("model", "The ledger of a model: a name of the catalogue, or a config.json."),
    "roofline": ("roofline", "Every operator of a model on a device, and what binds it."),
    "estimate": ("estimate", "What a deployment needs, how fast it is, what it costs, what binds."),
    "compare": ("compare", "Two deployments side by side: what changed, and why."),
    "sweep": ("sweep", "Many deployments: ranges of any input, as table, file or plot."),
    "check": ("check", "Claimed numbers: which are right, and which mistake gives the others."),
    "schema": ("schema", "The JSON Schema of what --json prints."),
    "doctor": ("doctor", "Whether this installation works."),
}


class Commands(click.Group):
    """Loads a command when it is named, and turns the library's errors into one line and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return import_module(f"aiinfra.cli.{COMMANDS[name][0]}").command

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from aiinfra.errors import unknown

            raise Refused(str(unknown("command", args[0], COMMANDS)))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, says) for name, (_, says) in COMMANDS.items()])

    def invoke(self, ctx: click.Context):
        from aiinfra.errors import AIInfraError

        try:
            return super().invoke(ctx)
        except AIInfraError as error:
            raise Refused(str(error)) from None
        except BrokenPipeError:  # the reader of a pipe has seen enough
            silence()
            ctx.exit(0)
        except OSError as error:  # a full disk, a file that cannot be read or written
            if error.filename is None:
                silence()
            raise Refused(f"{error.filename or 'output'}: {error.strerror or error}") from None
        except KeyboardInterrupt:
            ctx.exit(130)


def silence() -> None:
    """Send what is still to be written nowhere: Python would try once more at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Refused(click.ClickException):
    """Bad input: one line, exit code 2."""

    exit_code = 2

    def show(self, file=None) -> None:
        click.echo(f"aiinfra: {self.format_message()}", err=True)


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 fine, 1 a limit given with --assert does not hold or a check fails, 2 bad input.",
)  # fmt: skip
@click.version_option(__version__, prog_name="aiinfra")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Numbers of large-language-model infrastructure: exact counts, bounds and forecasts, each with its formula and sources.

    \b
      $ aiinfra eval kv-bytes-per-token --model llama-3.1-70b
      kv-bytes-per-token = 327.7 kB
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(words: list[str] | None = None) -> None:
    """The entry point: usage errors are one line too."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without the letters of a name still gets its numbers
    try:
        code = cli.main(words, prog_name="aiinfra", standalone_mode=False)
        if code:  # what a command gives to ctx.exit is returned, not raised
            sys.exit(code)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.UsageError as error:
        click.echo(f"aiinfra: {' '.join(error.format_message().split())}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        silence()
    except OSError as error:  # the help, on a disk that is full
        silence()
        click.echo(f"aiinfra: output: {error.strerror or error}", err=True)
        sys.exit(2)
