"""Every real config file of a public package, and the defaults of every config class, through the library.

Each is answered, with its totals held against the catalogue, or refused in one line that names the field. Where the packages
cannot be installed, one line says so and the run passes.
"""

import json
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from aiinfra import architecture
from aiinfra.architecture.families import ALIASES, READERS
from aiinfra.catalog import models
from aiinfra.errors import AIInfraError

NEEDS = (("--no-deps", "aiconfigurator-core==0.12.*"), ("transformers==5.24.*",))  # the second without torch: config classes need none
NOT_WORDS = (
    "meta-",
    "-instruct",
    "-it",
    "-thinking",
    "-base",
    "-bf16",
    "-fp8",
    "-nvfp4",
    "-static-pertensor",
    "-v0.1",
    "-v1",
    "-code",
    "-8k",
)
# Bytes of all tensors of a published checkpoint (metadata.total_size of its model.safetensors.index.json), and how many of its
# elements are kept in FP32 (safetensors.parameters of the Hub), which a ledger counts in the config's 16-bit dtype
STORED = {
    "openai--gpt-oss-20b": (13_761_264_768, 0),
    "openai--gpt-oss-120b": (65_248_815_744, 0),
    "moonshotai--Kimi-K3": (1_560_860_324_864, 11_122_432),
}
# Files that lack a field of the maker's own, which the catalogue has
LACKING = {"Step-3.7-Flash": "attention_other_setting, the heads of layers with a window"}


KNOWN = {*READERS, *ALIASES}


def attempt(*args: str) -> str:
    """Run Python with some arguments; the last line it complains with, or nothing."""
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def files() -> list[tuple[str, Path]]:
    """The config files of the package, by the name of the model."""
    package = find_spec("aiconfigurator_core")
    folder = Path(package.submodule_search_locations[0]) / "model_configs"
    return [(p.name.removesuffix("_config.json"), p) for p in sorted(folder.glob("*_config.json")) if "hf_quant" not in p.name]


def defaults() -> list[tuple[str, dict]]:
    """The default config of every class of a family that has a reader or stands beside one."""
    code = (
        "import json, sys\nfrom transformers import CONFIG_MAPPING\nfound = {}\n"
        "for name in CONFIG_MAPPING:\n"
        "    try:\n        found[name] = json.loads(CONFIG_MAPPING[name]().to_json_string(use_diff=False))\n"
        "    except Exception:\n        pass\n"  # a class without defaults, or one that needs a package that is not there
        "json.dump(found, sys.stdout)"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    if done.returncode:
        print(f"defaults skipped: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    return [(f"default {name}", table | {"model_type": name}) for name, table in sorted(json.loads(done.stdout or "{}").items())]


def entry(name: str):
    """The model of the catalogue that a file is of, by its name."""
    short = name.rpartition("--")[2].lower().replace("_", ".")
    known = models()
    while short not in known:
        cut = next((w for w in NOT_WORDS if short.startswith(w) or short.endswith(w)), None)
        if cut is None:
            return None
        short = short.removeprefix(cut).removesuffix(cut)
    return known[short]


def held(name: str, ledger) -> tuple[str, str]:
    """What the catalogue says of a file's totals, and what is wrong with them."""
    published, wide = STORED.get(name, (None, 0))
    if published and (stored := ledger.bytes_of(*ledger.sections) + 2 * wide) != published:
        return "", f"{stored:,.0f} bytes, but {published:,} are published"
    found = entry(name)
    if found is None:
        return "", ""
    if lack := next((field for part, field in LACKING.items() if part in name), ""):
        return f"{found.key}: the file lacks {lack}", ""
    own = found.ledger().sections
    wrong = [f"{s}: {n:,}, but the catalogue's {found.key} has {own[s]:,}" for s, n in ledger.sections.items() if s in own and own[s] != n]
    if wrong or found.published_total is None or not set(found.published_of) <= set(ledger.sections):
        return found.key, "; ".join(wrong)
    total, published = sum(ledger.sections[s] for s in found.published_of), found.published_total.value
    return f"{found.key}: {'as published' if total == published else f'{total - published:+,} to the published total'}", ""


def main() -> int:
    start = time.perf_counter()
    for args in NEEDS:
        if why := attempt("-m", "pip", "install", "--quiet", "--retries", "1", *args):
            print(f"corpus skipped: {args[-1]} cannot be installed: {why}")
            return 0
    known, refused, failed, skipped = 0, [], [], 0
    print(f"{'config':62}{'parameters':>20}{'active':>18}{'GB stored':>12}{'B/token':>12}  against the catalogue")
    for name, source in [*files(), *defaults()]:
        try:
            model = architecture.load(source)
            ledger = model.ledger()
            work = ledger.prefill(1000), ledger.decode(1001)
            assert all(w.flops > 0 and w.weight_read > 0 for w in work) and ledger.state(1000) >= 0
        except AIInfraError as error:
            text = str(error)
            if "\n" in text:
                failed.append(f"{name}: more than one line: {text!r}")
            if isinstance(source, dict) and source["model_type"] not in KNOWN:
                skipped += 1  # hundreds of classes of other kinds; only that none is answered or breaks is of interest
            else:
                refused.append(f"{name}: {text}")
        except Exception as error:  # whatever it is, it is the failure that this run looks for
            failed.append(f"{name}: {type(error).__name__}: {error}")
        else:
            known += 1
            note, wrong = held(name, ledger)
            failed += [f"{name}: {wrong}"] if wrong else []
            if isinstance(source, dict) and source["model_type"] not in KNOWN:
                note = next(iter(model.warnings), "")
                failed += [] if note else [f"{name}: a family that is not known was counted without a warning"]
            print(f"{name:62}{ledger.parameters:>20,}{ledger.active:>18,}{ledger.bytes / 1e9:>12,.1f}{ledger.token_bytes:>12,.0f}  {note}")
    print(f"\n{known} answered; {len(refused)} of known families refused; {skipped} classes of other families refused")
    print("\n".join(f"refused: {line}" for line in refused))
    print("\n".join(f"FAILED: {line}" for line in failed))
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
