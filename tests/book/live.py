"""What tests of the pages share: calculators run in Node, random settings, and the library's own answer beside the page's."""

import json
import math
import random
import re
from pathlib import Path

from node import run

from aiinfra.book import calls
from aiinfra.errors import AIInfraError

SCRIPTS = ("numbers", "formulas")
ASK = """
  let page; aiinfra.page = (found) => { page = found; page.defines = {};
    for (const [key, f] of Object.entries(page.formulas)) if (f.resolves) page.defines[f.symbol] = key; };
  SCRIPT
  const data = page.calculators.find((c) => c.name === given.name);
  return given.settings.map((settings) => data.outputs.map((row) => {
    const inputs = {};
    for (const input of data.inputs) {
      const value = settings[input.name];
      inputs[input.sets || input.name] = input.sets ? input.values[input.options.indexOf(value)] : value;
    }
    try { const a = aiinfra.ask(page, row.ask, inputs); return [a.value, aiinfra.answerText(a)]; }
    catch (error) { if (!(error instanceof aiinfra.Refused)) throw error; return error.message; }
  }));
"""


def drawn(data: dict, rng: random.Random) -> dict:
    """A random setting of every input of a calculator: numbers over their range, among them both ends and the start."""
    found = {}
    for row in data["inputs"]:
        if "options" in row:
            found[row["name"]] = rng.choice(row["options"])
        elif "from" in row:
            low, high, share = row["from"], row["to"], rng.random()
            value = low * (high / low) ** share if row["log"] else low + (high - low) * share
            whole = all(float(v).is_integer() for v in (low, high, row["start"]))
            found[row["name"]] = rng.choice([round(value) if whole else value] * 6 + [low, high, row["start"]])
        else:
            found[row["name"]] = row["start"]
    return found


def answers(script: Path, name: str, settings: list[dict]) -> list:
    """What a page's script gives for settings of one of its calculators: value and text, or why it is refused."""
    return run(ASK.replace("SCRIPT", script.read_text(encoding="utf-8")), {"name": name, "settings": settings}, SCRIPTS)


def same(request: str, cases: calls.Cases, inputs: dict, found: object) -> str:
    """Hold one answer of a page against the library's; says whether it was a number or a refusal."""
    try:
        answer = calls.ask(request, cases, **inputs)
    except AIInfraError as error:
        assert isinstance(found, str) and "\n" not in found, (request, inputs, found, str(error))
        return "refused"
    assert not isinstance(found, str), (request, inputs, found, str(answer))
    value, text = found
    assert math.isclose(value, float(answer.value), rel_tol=1e-12), (request, inputs, value, float(answer.value))
    assert text == str(answer), (request, inputs, text, str(answer))
    return "number"


def parsed(script: Path) -> list[dict]:
    """The calculators of a page's script."""
    return json.loads(
        run("let found; aiinfra.page = (p) => { found = p.calculators; };" + script.read_text() + "return JSON.stringify(found)", {})
    )


def cases_of(source: Path) -> calls.Cases:
    """The cases that a chapter declares."""
    found = calls.Cases()
    for name, body in re.findall(r"^```\{case\} (\S+)\n(.*?)\n```$", source.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        found.add(name, " ".join(body.split("\n")))
    return found
