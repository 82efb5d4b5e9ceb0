"""Measure what the book and its library promise: `python bench/bench.py [name …]` prints a table.

Names: import, ledger, roofline, command, scenario, devices, call, array, declare, prove, html, page. Timings are of this machine;
the bars are those of the project.
"""

import gzip
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from timeit import Timer
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
HEAVY = "assert not {'sympy', 'numpy'} & sys.modules.keys(), 'sympy or numpy was imported'"


def fresh(code: str, runs: int = 5) -> float:
    """Median of what a fresh Python process prints; its modules are compiled, as those of an installed package are."""
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-c", "import sys, time\n" + code]
    with tempfile.TemporaryDirectory() as compiled:
        env = os.environ | {"PYTHONPATH": path, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        done = [subprocess.run(command, env=env, check=True, capture_output=True, text=True) for _ in range(runs + 1)]
    return statistics.median(float(run.stdout) for run in done[1:])


def timed(setup: str, action: str) -> str:
    return f"{setup}\nt = time.perf_counter()\n{action}\nseconds = time.perf_counter() - t\n"


def row(what: str, value: float, unit: str, bar: str = "", good: bool | None = None) -> None:
    mark = "" if good is None else "ok" if good else "MISSED"
    print(f"{what:58} {value:>10,.4g} {unit:12} {bar:>22} {mark}", flush=True)


def bench_import() -> None:
    ms = 1e3 * fresh(timed("", "import aiinfra") + HEAVY + "\nprint(seconds)")
    row("import aiinfra", ms, "ms", "≤ 50 ms", ms <= 50)
    first = "aiinfra.formula('kv-bytes-per-token')(aiinfra.model('llama-3.1-70b'))"
    fresh(f"import aiinfra; {first}; print(0)", 1)  # makes the numeric code, if that is still to do
    ms = 1e3 * fresh(timed("import aiinfra", first) + HEAVY + "\nprint(seconds)")
    row("first formula of a process, with a model", ms, "ms")


def bench_ledger() -> None:
    seconds = fresh(timed("", "import aiinfra.architecture") + HEAVY + "\nprint(seconds)")
    row("import aiinfra.architecture", 1e3 * seconds, "ms", "≤ 150 ms", seconds <= 0.15)
    first = "ledger = architecture.load(config).ledger(); ledger.parameters, ledger.decode(8192).flops, ledger.state(8192)"
    setup = "from aiinfra import architecture, catalog; config = catalog.model({!r}).config"
    seconds = fresh(timed(setup.format("llama-3.1-70b"), first) + HEAVY + "\nprint(seconds)")
    row("first ledger of a process, Llama 3.1 70B", 1e3 * seconds, "ms")
    from aiinfra import architecture, catalog

    def ledger(config):
        return architecture.load(config).ledger()

    def counted(config) -> None:
        found = ledger(config)
        found.parameters, found.decode(8192).flops, found.state(8192)

    for what, function, bar in (("ledger from a config", ledger, 5), ("the same with parameters, a step and state", counted, None)):
        times = {key: min(Timer(lambda c=m.config: function(c)).repeat(7, 1)) * 1e3 for key, m in catalog.models().items()}
        slowest = max(times, key=times.get)
        for name, ms in (("median", statistics.median(times.values())), (slowest, times[slowest])):
            row(f"{what}, {name}", ms, "ms", f"≤ {bar} ms" if bar else "", ms <= bar if bar else None)
    seconds = fresh(timed("from aiinfra import catalog", "catalog.models()") + HEAVY + "\nprint(seconds)")
    row("catalogue of models opened", 1e3 * seconds, "ms", "≤ 30 ms", seconds <= 0.03)


def bench_roofline() -> None:
    from aiinfra import catalog, roofline

    entries = list(catalog.devices().values())
    ledger = catalog.model("llama-3.1-70b").ledger()

    def everywhere() -> int:
        found = roofline.operators(ledger.decode(8192, batch=64))
        pairs = [(d, dtype) for d in entries if d.memory_bandwidth for dtype in {p.input for p in d.peaks if not p.sparse}]
        return sum(len(roofline.place(found, d, dtype)) for d, dtype in pairs)

    times = everywhere()
    ms = 1e3 * min(Timer(everywhere).repeat(7, 1))
    row(f"roofline, 70B on every device and dtype ({times:,} times)", ms, "ms", "≤ 20 ms", ms <= 20)


def bench_command() -> None:
    point = "estimate --model llama-3.1-70b --device h100-sxm --tp 8 --batch 32 --prompt 2048 --output 128"
    one = "eval kv-bytes-per-token --model llama-3.1-70b"
    for words, bar in (("--help", 120), (point, 350), (point + " --json", 350), (one, None)):
        ms = 1e3 * whole(words.split())
        what = f"aiinfra {words[:36]}{'…' * (len(words) > 36)}, whole process"
        row(what, ms, "ms", f"≤ {bar} ms" if bar else "", ms <= bar if bar else None)


def whole(words: list[str], runs: int = 7) -> float:
    """Median seconds of a whole process of the command, its modules compiled."""
    with tempfile.TemporaryDirectory() as compiled:
        env = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        times = []
        for _ in range(runs + 1):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-m", "aiinfra", *words], env=env, check=True, capture_output=True)
            times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def bench_scenario() -> None:
    described = "Scenario(model='llama-3.1-70b', device='h100-sxm', tp=8, batch=32, prompt=2048, output=128)"
    action = f"from aiinfra.scenario import Scenario; {described}.estimate()"
    ms = 1e3 * fresh(timed("", action) + HEAVY + "\nprint(seconds)")
    row("first estimate of a process, 70B TP8, with its imports", ms, "ms")
    from aiinfra import catalog
    from aiinfra.scenario import Scenario

    s = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128)
    for name, change in (("new batch", {"batch": 33}), ("new prompt", {"prompt": 2049})):
        ms = 1e3 * min(Timer(lambda change=change: s.but(**change).estimate()).repeat(7, 50)) / 50
        row(f"estimate, warm, {name}", ms, "ms", "≤ 1 ms", ms <= 1)
    fitting = [k for k, d in catalog.devices().items() if d.memory_bandwidth and any(p.input == "bf16" and not p.sparse for p in d.peaks)]
    over = {"device": fitting[:50], "tp": [1, 2, 4, 8], "prompt": range(64, 100_064, 500), "batch": range(1, 251)}
    setup = "import resource; from aiinfra.scenario import Scenario; from aiinfra.scenario.sweep import sweep\n"
    setup += f"s = {described}; over = {over}"
    peak = "print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)"
    done = subprocess.run(
        [sys.executable, "-c", "import sys, time\n" + timed(setup, "found = sweep(s, over)") + "assert found.size == 10_000_000\n" + peak],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, gigabytes = map(float, done.stdout.split())
    row("sweep of 10 million points", seconds, "s", "≤ 10 s", seconds <= 10)
    row("its memory", gigabytes, "GB", "≤ 2 GB", gigabytes <= 2)


def bench_devices() -> None:
    seconds = fresh(timed("from aiinfra import catalog", "catalog.devices()") + HEAVY + "\nprint(seconds)")
    row("catalogue of devices opened", 1e3 * seconds, "ms", "≤ 30 ms", seconds <= 0.03)
    one = timed("from aiinfra import catalog", "catalog.device('h100-sxm').memory_bandwidth")
    row("the same and one device read", 1e3 * fresh(one + "print(seconds)"), "ms")
    every = timed("from aiinfra import catalog", "found = list(catalog.devices().values())")
    row("the same and all devices read", 1e3 * fresh(every + "print(seconds)"), "ms")


def bench_call() -> None:
    from aiinfra import device, formula, model

    step, entries = formula("decode-step-bound"), (model("llama-3.1-70b"), device("h100-sxm"))
    direct = {"devices": 8, "beta_mem": 3.35e12, "peak": 989.4e12, "weight_read": 1.4e11, "kv_bytes": 2.7e9, "step_flops": 1.6e11}
    calls = {
        "direct inputs": lambda: step(**direct),
        "catalogue entries": lambda: step(*entries, batch=1, context=8192, devices=8),
    }
    for name, call in calls.items():
        µs = 1e6 * min(Timer(call).repeat(7, 5000)) / 5000
        row(f"decode-step-bound, {name}", µs, "µs", "≤ 10 µs", µs <= 10)


def bench_array() -> None:
    import numpy

    from aiinfra import formula

    step, points = formula("decode-step-bound"), 10_000_000
    bytes_read = numpy.random.default_rng(0).uniform(1e9, 1e12, points)
    fixed = {"devices": 8, "beta_mem": 3.35e12, "peak": 989.4e12, "kv_bytes": 2.7e9}
    for name, work in (("one input an array", 1.6e11), ("two inputs arrays", bytes_read * 1.1)):
        rate = points / min(Timer(lambda work=work: step.array(weight_read=bytes_read, step_flops=work, **fixed)).repeat(5, 1)) / 1e6
        row(f".array of decode-step-bound, {name}", rate, "M points/s", "≥ 20 M points/s", rate >= 20)


def bench_declare() -> None:
    load = timed("import sympy, sympy.printing.latex", "from aiinfra import formulas; n = len(formulas.load())")
    seconds = fresh(load + "print(200 * seconds / n)")
    row("formulas and derivations declared, scaled to 200", seconds, "s", "≤ 1 s", seconds <= 1)


def bench_prove() -> None:
    setup = "from aiinfra import formulas; formulas.load()\nfrom aiinfra.engine.derivation import DERIVATIONS"
    row("all derivations proved", fresh(timed(setup, "for d in DERIVATIONS.values(): d.check()") + "print(seconds)", 3), "s")


def bench_html() -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("docs", "conf", "bib", "src"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("_build", "__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        book = copy / "docs/_build/html"
        chapters = [p for p in (copy / "docs").rglob("*.md") if p.parent.name not in ("docs", "front", "appendix")]
        seconds = build(copy)
        row("HTML, cold", seconds, "s", "≤ 40 s on 2 cores", seconds <= 40)
        each = seconds / len(chapters)
        row(f"the same for each of {len(chapters)} chapters", each, "s", "≤ 6 s", each <= 6)
        chapter = max(chapters, key=lambda p: p.stat().st_size)
        chapter.write_text(chapter.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")
        seconds = build(copy)
        row(f"HTML, {chapter.stem} touched", seconds, "s", "≤ 6 s", seconds <= 6)
        pages = [book / p.relative_to(copy / "docs").with_suffix(".html") for p in chapters]
        page = max(pages, key=lambda p: weight(p, book))
        kilobytes = weight(page, book) / 1000
        row(f"heaviest chapter page ({page.stem}), compressed", kilobytes, "kB", "≤ 350 kB", kilobytes <= 350)


def bench_page() -> None:
    """The heaviest chapter as Chromium opens it from disk, with its scripts."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("page: left out, no playwright here: tox -e bench has it")
        return
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        print("page: left out, no Chromium on this machine")
        return
    book = ROOT / "docs/_build/html"
    if not (book / "index.html").is_file():
        build(ROOT)
    chapter = max(book.glob("foundations/*.html"), key=lambda p: len(gzip.compress(p.read_bytes())))
    asked, painted, usable = set(), [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(8):  # the first warms the disk's cache
            page = browser.new_context().new_page()
            page.on("request", lambda request: asked.add(request.url))
            page.goto(chapter.as_uri())
            page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
            painted.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            usable.append(page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))
            page.context.close()
        browser.close()
    files = {Path(unquote(urlsplit(address).path)) for address in asked if address.startswith("file:")}
    kilobytes = packed(files) / 1000
    name = chapter.stem
    row(f"all that Chromium asks for ({name}), compressed", kilobytes, "kB", "≤ 500 kB", kilobytes <= 500)
    for what, times, bar in (("first content", painted, 500), ("usable", usable, 1000)):
        ms = statistics.median(times[1:])
        row(f"{what} ({name}, from disk)", ms, "ms", f"≤ {bar:,} ms", ms <= bar)


def build(copy: Path) -> float:
    """Seconds of the command behind `tox -e html`, on a copy of the book."""
    start = time.perf_counter()
    path = os.pathsep.join([str(copy / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "conf/build.py", "html"], cwd=copy, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"the book does not build:\n{done.stderr[-3000:]}")
    return time.perf_counter() - start


def weight(page: Path, book: Path) -> int:
    """Bytes a reader without scripts loads: the page, its styles, and the fonts and pictures that those name."""
    html = page.read_text(encoding="utf-8")
    sheets = [(page.parent / href.split("?")[0]).resolve() for href in re.findall(r'<link[^>]*rel="stylesheet"[^>]*href="([^"]+)"', html)]
    pictures = [(page.parent / src.split("?")[0]).resolve() for src in re.findall(r'<img[^>]*src="([^":]+)"', html)]
    files = {page.resolve(), *sheets, *pictures}
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        for family in re.split(r"@font-face", text)[1:]:
            name = re.search(r"font-family:\s*[\"']?([\w -]+)", family)
            source = re.search(r"url\([\"']?([^\"')]+\.woff2)", family)
            if source and name and used(name[1].strip(), text, html):
                files.add((sheet.parent / source[1]).resolve())
    return packed(files)


def packed(files: set[Path]) -> int:
    """Bytes of files as a server sends them."""
    found = [(f.suffix, f.read_bytes()) for f in files if f.is_file()]
    return sum(len(data) if suffix in (".woff2", ".png") else len(gzip.compress(data, 9)) for suffix, data in found)


def used(family: str, sheet: str, html: str) -> bool:
    """Whether a page needs a font: KaTeX's by the classes that select them, any other always."""
    if not family.startswith("KaTeX"):
        return True
    rules = re.findall(r"\.katex\s+\.([\w-]+)[^{}]*\{[^{}]*" + re.escape(family) + r"\b", sheet)
    return family == "KaTeX_Main" or any(re.search(rf'class="[^"]*\b{re.escape(rule)}\b', html) for rule in rules)


if __name__ == "__main__":
    benches = {name.removeprefix("bench_"): function for name, function in globals().copy().items() if name.startswith("bench_")}
    if unknown := [name for name in sys.argv[1:] if name not in benches]:
        sys.exit(f"unknown {unknown[0]!r}: use {', '.join(benches)}")
    sys.path.insert(0, str(ROOT / "src"))
    print(f"{'what':58} {'measured':>23} {'bar':>22}")
    for name in sys.argv[1:] or benches:
        benches[name]()
