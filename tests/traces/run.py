"""Statistics and replays of public traces, held against the digits that chapter 3 prints: `tox -e traces -- FOLDER`.

The folder holds the published files under their own names. Without it, one line says where they are, and the run passes.
"""

import csv
import json
import sys
from datetime import datetime
from pathlib import Path

import numpy

from aiinfra import device, formula, model
from aiinfra.catalog import measurement

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from simulation import engine, in_order  # noqa: E402  (beside the tests, which are no package)

FILES = {
    "Azure, code": ("AzureLLMInferenceTrace_code.csv", "github.com/Azure/AzurePublicDataset, data/, commit b469a11"),
    "Azure, conversation": ("AzureLLMInferenceTrace_conv.csv", "github.com/Azure/AzurePublicDataset, data/, commit b469a11"),
    "Mooncake, conversation": ("conversation_trace.jsonl", "github.com/kvcache-ai/Mooncake, FAST25-release/traces/, commit 3b5a594"),
}
CHAPTER = (ROOT / "docs/foundations/workloads.md").read_text()
wrong = []


def read(path):
    """Arrival times in seconds, and tokens of prompts and answers."""
    with open(path) as file:
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in file]
            return (numpy.array([r[k] for r in rows], float) for k in ("timestamp", "input_length", "output_length"))
        rows = list(csv.DictReader(file))
    times = numpy.array([datetime.fromisoformat(r["TIMESTAMP"][:26]).timestamp() for r in rows])
    return times, *(numpy.array([int(r[k]) for r in rows], float) for k in ("ContextTokens", "GeneratedTokens"))


def holds(what, value, printed):
    """A computed value against its digits in the chapter."""
    digits = printed.replace(",", "")
    unit = 10.0 ** -len(digits.partition(".")[2])
    fits = abs(value - float(digits)) <= 0.51 * unit and printed in CHAPTER
    print(f"{'' if fits else 'WRONG '}{what}: {value:.6g}, printed as {printed}")
    wrong.extend([] if fits else [what])


def near(what, value, printed, within):
    """The same for a simulated value, which is known to a share only."""
    fits = abs(value / float(printed.replace(",", "")) - 1) <= within and printed in CHAPTER
    print(f"{'' if fits else 'WRONG '}{what}: {value:.6g}, printed as about {printed}")
    wrong.extend([] if fits else [what])


def spread(sizes):
    return sizes.std() / sizes.mean()


def cv(sizes):
    return f"{spread(sizes):.3f}" if spread(sizes) < 1 else f"{spread(sizes):.2f}"


def percentile(sizes, share):
    """The least size that this share does not exceed."""
    return numpy.quantile(sizes, share, method="inverted_cdf")


def top(sizes):
    """Share of all that the largest hundredth holds."""
    return numpy.sort(sizes)[-len(sizes) // 100 :].sum() / sizes.sum()


def counts(times, window):
    """Requests in successive windows, without the last, which is not whole."""
    return numpy.bincount(((times - times[0]) // window).astype(int))[:-1]


def rows(traces):
    """The table of the chapter, line by line."""
    cell = {
        "Requests": lambda p, g: f"{len(p):,}",
        "Prompt: mean": lambda p, g: f"{p.mean():,.0f}",
        "… p50, p99": lambda p, g: f"{percentile(p, 0.5):,.0f}, {percentile(p, 0.99):,.0f}",
        "… coefficient of variation": lambda p, g: cv(p),
        "Answer: mean": lambda p, g: f"{g.mean():.3g}",
        "… p50, p99 ": lambda p, g: f"{percentile(g, 0.5):,.0f}, {percentile(g, 0.99):,.0f}",
        "… coefficient of variation ": lambda p, g: cv(g),
        "Correlation of prompt and answer": lambda p, g: f"{numpy.corrcoef(p, g)[0, 1]:.3f}".replace("-", "−"),
        "Tokens of answers in the largest 1%": lambda p, g: f"{100 * top(g):.1f}%",
    }
    for name, fill in cell.items():
        yield f"| {name.strip()} | " + " | ".join(fill(p, g) for _, p, g in traces.values()) + " |"


def prompt_times(prompts):
    """What chapter 1's model with links gives for each prompt on eight H100."""
    alpha = measurement("trtllm-h100-8-allreduce-16kib").value
    inputs = {"devices": 8, "alpha_ar": alpha, "dtype": "bf16"}
    return numpy.asarray(formula("prefill-with-links").array(model("llama-3.1-70b"), device("h100-sxm"), prompt=prompts, **inputs))


def replay(times, services, load, shuffles=0):
    """Mean and p99 of the wait with the clock run at such a pace that the load is as given; gaps and services as asked."""
    gaps = numpy.diff(times, prepend=times[0]) * services.sum() / (times[-1] - times[0]) / load
    if not shuffles:
        waits = in_order(gaps, services)
        return waits.mean(), numpy.quantile(waits, 0.99)
    rng = numpy.random.default_rng(0)
    both = [(rng.permutation(gaps), order) for _ in range(shuffles) for order in (services, rng.permutation(services))]
    means = [in_order(*pair).mean() for pair in both]
    return numpy.mean(means[::2]), numpy.mean(means[1::2])


def served(rate, prompts, answers, n=400_000):
    """p99 of the first token and of the time per token on one group, prompts before steps, in ms."""
    rng = numpy.random.default_rng(1)
    came = rng.exponential(1 / rate, n).cumsum()
    first, token = engine(came, rng.choice(prompts, n), answers(rng, n), 5.756e-3, 3.680e-5)[2:]
    return 1e3 * numpy.quantile(first, 0.99), 1e3 * numpy.quantile(token, 0.99)


def main(folder=None):
    absent = [f"{name} ({where})" for name, where in FILES.values() if not folder or not (Path(folder) / name).is_file()]
    if absent:
        print(f"traces skipped: the folder {folder or '(none named)'} lacks {'; '.join(absent)}")
        return 0
    traces = {key: tuple(read(Path(folder) / name)) for key, (name, _) in FILES.items()}
    for row in rows(traces):
        print(row)
        wrong.extend([] if row in CHAPTER else [row])

    times, prompts, answers = traces["Azure, conversation"]
    holds("context of a conversation, weighted by answers", ((prompts + answers / 2) * answers).sum() / answers.sum(), "1,227")
    holds("conversations in a second", len(times) / (times[-1] - times[0]), "5.53")
    for window, printed in ((1, "1.39"), (10, "3.86"), (60, "16.1")):
        holds(f"dispersion of conversations in {window} s", counts(times, window).var() / counts(times, window).mean(), printed)
    minutes = counts(times, 60)
    holds("conversations in the first minute", minutes[0], "191")
    holds("in the busiest", minutes.max(), "507")
    holds("in a minute on average", minutes.mean(), "333")
    holds("in the last ten minutes, on average", minutes[-10:].mean(), "250")
    services = prompt_times(prompts)
    holds("time of a prompt of a conversation, ms", 1e3 * services.mean(), "32.7")
    holds("its coefficient of variation", spread(services), "0.956")
    holds("coefficient of variation of the gaps", spread(numpy.diff(times)), "1.094")
    for load, printed in ((0.3, ("17.9", "15.4", "14.9")), (0.5, ("72.2", "38", "34")), (0.7, ("3,630", "110", "80"))):
        in_time = 1e3 * replay(times, services, load)[0]
        near(f"replayed at {load}, ms", in_time, printed[0], 0.001)
        for what, mean, digits in zip(("gaps", "both"), replay(times, services, load, shuffles=50), printed[1:], strict=True):
            near(f"{what} shuffled at {load}, ms", 1e3 * mean, digits, 0.03)

    times, prompts, answers = traces["Azure, code"]
    holds("longest prompt of code", prompts.max(), "7,437")
    holds("coefficient of variation of the gaps", spread(numpy.diff(times)), "13.2")
    holds("code requests in a second", len(times) / (times[-1] - times[0]), "2.57")
    holds("busiest ten seconds", counts(times, 10).max(), "327")
    holds("windows of ten seconds that are empty, %", 100 * (counts(times, 10) == 0).mean(), "56")
    services = prompt_times(prompts)
    load = services.sum() / (times[-1] - times[0])
    holds("time of a prompt of code, ms", 1e3 * services.mean(), "58.2")
    holds("its coefficient of variation", spread(services), "0.970")
    holds("load of code", load, "0.149")
    mean, p99 = replay(times, services, load)
    holds("mean wait of code, s", mean, "0.93")
    holds("its p99, s", p99, "13.5")

    first, token = served(7.6, services, lambda rng, n: numpy.full(n, 256))
    near("p99 of the first token at 7.6 a second, prompts of code, answers of 256", first, "450", 0.03)
    first, token = served(6.7, services, lambda rng, n: rng.geometric(1 / 255, n) + 1)
    near("p99 per token at 6.7 a second, prompts of code, exponential answers", token, "40", 0.05)
    print("\n".join(f"WRONG: {what}" for what in wrong) or "all as printed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
