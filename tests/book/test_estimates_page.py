"""The page of deployments prints what the command prints."""

import random

import pytest
from node import run

from aiinfra import catalog
from aiinfra.book.live import deployments
from aiinfra.cli import estimate as command
from aiinfra.errors import AIInfraError
from aiinfra.scenario import Scenario

SCRIPTS = ("numbers", "formulas", "estimate")
ASK = """
  let base; const models = {};
  aiinfra.deployments = (found) => { base = found; };
  aiinfra.deploymentModel = (key, found) => { models[key] = found; };
  SCRIPT
  return given.map((s) => {
    try { const e = aiinfra.estimate(base, models[s.model], s); delete e.values; return e; }
    catch (error) { if (!(error instanceof aiinfra.Refused)) throw error; return error.message; }
  });
"""


def drawn(rng: random.Random, model: str, devices: list[str]) -> dict:
    """A random deployment, that may be impossible."""
    prompt, hit = int(10 ** rng.uniform(0, 5)), rng.choice([0, 0, 0.5, 0.93])
    found = {"model": model, "device": rng.choice(devices), "tp": rng.choice([1, 2, 4, 8, 8, 16, 64]), "prompt": prompt, "prefix_hit": hit}
    found |= {"batch": int(10 ** rng.uniform(0, 3)), "output": int(10 ** rng.uniform(0.4, 3.5))}
    found |= {"weights": rng.choice(deployments.WEIGHTS), "kv": rng.choice(deployments.KV)}
    return found | {"cached": min(int(prompt * hit), prompt - 1), "page": 16, "chunk": 8192}


@pytest.fixture(scope="module")
def base():
    return deployments.base()


@pytest.mark.parametrize("part", range(8))
def test_every_model_gives_what_the_command_gives(base, part):
    rng, seen = random.Random(part), {"fits": 0, "too large": 0, "refused": 0}
    keys = list(catalog.models())[part::8]
    devices = sorted(deployments.devices())
    given = [drawn(rng, key, devices) for key in keys for _ in range(30)]
    script = base + "".join(map(deployments.profiles, keys))
    for s, found in zip(given, run(ASK.replace("SCRIPT", script), given, SCRIPTS), strict=True):
        seen[held_against(s, found)] += 1
    assert min(seen.values()) > 5, seen


def held_against(s: dict, found) -> str:
    own = {n: v for n, v in s.items() if n not in ("cached",)} | {"weights": s["weights"] or None, "kv": s["kv"] or None}
    try:
        e = Scenario(**own).estimate(strict=False)
    except AIInfraError as error:
        assert isinstance(found, str), (s, str(error), found)
        return "refused"
    assert not isinstance(found, str), (s, found)
    assert found["memory"] == [list(row) for row in command.memory(e).rows], s
    assert found["speeds"] == [list(row) for row in command.speeds(e).rows], s
    assert found["binds"] == {phase: e.binds(phase) for phase in ("prefill", "decode")} and found["dtype"] == e.scenario.computed_in
    assert found["notes"] == list(e.scenario.warnings), s
    if e.fits:
        return "fits"
    with pytest.raises(AIInfraError, match=found["refusal"].replace("(", r"\(")):
        Scenario(**own).estimate()
    return "too large"
