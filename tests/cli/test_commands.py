"""The command: what it prints, its JSON against the schema, and its exit codes."""

import csv
import io
import json
import re
import shlex
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from aiinfra.cli import COMMANDS, cli

SCHEMA = json.loads(files("aiinfra.cli").joinpath("schema.json").read_text(encoding="utf-8"))
LLAMA = "--model llama-3.1-70b --device h100-sxm --tp 8 --batch 32 --prompt 2048 --output 128"
EACH = [
    "list formulas kv", "list models llama", "list devices h100", "list symbols n_kv", "list measurements", "show kv-bytes",
    "show llama-3.1-8b",    "show h100-sxm", "show n_kv", "show gptfast-llama2-7b-tp1-bf16",
    "eval kv-bytes-per-token --model llama-3.1-70b",
    "explain kv-bytes --model llama-3.1-70b batch=16 context=8192",
    "solve kv-bytes --for context --model llama-3.1-70b kv_bytes=40GB batch=16",
    "model llama-3.1-70b --rows", "roofline deepseek-v3 h200-sxm --batch 64", f"estimate {LLAMA}", f"estimate {LLAMA} --explain tpot",
    "sweep --model llama-3.1-8b --device h100-sxm --over batch=1..64x8 --over tp=1,2", "doctor",
]  # fmt: skip


def run(line, stdin=None):
    return CliRunner().invoke(cli, shlex.split(line), input=stdin)


def answer(line, stdin=None):
    found = run(line, stdin)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.mark.parametrize("line", EACH)
def test_json_keeps_the_schema_and_csv_reads_back(line):
    found = json.loads(answer(f"{line} --json"))
    jsonschema.validate(found, SCHEMA)
    assert found["command"] == line.split()[0]
    if not line.startswith(("show kv", "show n_kv", "show gptfast")):  # of these there is no table
        rows = list(csv.reader(io.StringIO(answer(f"{line} --csv"))))
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1


def test_the_example_of_the_readme():
    found = json.loads(answer("eval kv-bytes-per-token --model llama-3.1-70b --json"))
    assert (found["formula"], found["value"], found["unit"], found["relation"]) == ("kv-bytes-per-token", 327680, "B", "=")
    assert found["inputs"]["n_kv"]["value"] == 8 and found["inputs"]["n_kv"]["source"].startswith("llama-3.1-70b: ")


def test_an_estimate_says_what_python_says():
    from aiinfra.scenario import Scenario

    found = json.loads(answer(f"estimate {LLAMA} --json"))
    e = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128).estimate()
    assert {name: row["value"] for name, row in found["results"].items()} == e.values
    assert found["binds"] == {"prefill": "compute", "decode": "weights"}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_has_an_example_that_holds(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deployment.toml").write_text('model = "llama-3.1-8b"\ndevice = "h100-sxm"\n')
    text = answer(f"{name} --help")
    example = re.search(r"^ +\$ (.+)\n((?: +.+\n)+)", text, re.MULTILINE)
    assert example, text
    line, shown = example[1], example[2].strip()
    piped = re.fullmatch(r'echo "(.+)" \| aiinfra (.+)', line)
    result = run(piped[2], piped[1]) if piped else run(line.removeprefix("aiinfra "))
    assert result.exit_code in (0, 1), result.output
    words = shown.split()
    assert any(words == row.split()[: len(words)] for row in result.stdout.splitlines()), (shown, result.stdout)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f'estimate {LLAMA} --assert "tpot<=50ms"', 0), (f'estimate {LLAMA} --assert "tpot<=40ms"', 1),
        (f'estimate {LLAMA} --assert "decode.bound>=6ms" --assert "memory < 1 GB"', 1),
        ('eval kv-bytes-per-token --model llama-3.1-70b --assert "<=328kB"', 0),
        ('eval kv-bytes-per-token --model llama-3.1-70b --assert "<327kB"', 1),
    ],
)  # fmt: skip
def test_limits_set_the_exit_code(line, code):
    assert run(line).exit_code == code


def test_claims_in_a_file(tmp_path):
    file = tmp_path / "claims.txt"
    file.write_text("kv-bytes-per-token model=llama-3.1-70b = 327.7 kB\n")
    assert run(f"check {file}").exit_code == 0
    file.write_text("kv-bytes-per-token model=llama-3.1-70b = 2621 kB\n")
    found = run(f"check {file} --json")
    assert found.exit_code == 1
    jsonschema.validate(json.loads(found.stdout), SCHEMA)
    assert "query heads" in json.loads(found.stdout)["claims"][0]["mistakes"][0]


def test_comparing_two_files(tmp_path):
    first = tmp_path / "a.toml"
    first.write_text('model = "llama-3.1-70b"\ndevice = "h100-sxm"\ntp = 8\nbatch = 4\n')
    found = json.loads(answer(f"compare {first} device=h200-sxm batch=8 --json"))
    jsonschema.validate(found, SCHEMA)
    assert [row["name"] for row in found["changed"]] == ["device", "batch"]
    second = tmp_path / "b.toml"
    second.write_text(first.read_text().replace("h100-sxm", "h200-sxm").replace("batch = 4", "batch = 8"))
    assert json.loads(answer(f"compare {first} {second} --json")) == found


def test_a_sweep_is_written_and_drawn(tmp_path):
    line = "sweep --model llama-3.1-8b --device h100-sxm --over batch=1..64x8 --over tp=1,2,3 --result decode.bound"
    for name in ("a.csv", "a.parquet", "a.svg"):
        option = "plot" if name.endswith("svg") else "out"
        found = run(f"{line} --{option} {tmp_path / name}")
        assert found.exit_code == 0 and "refused 3: tp = 3" in found.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert len(rows) == 6 and float(rows[0]["decode.bound"]) > 0
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert [tuple(map(str, row.values())) for row in table] == [tuple(row.values()) for row in rows]
    assert "<svg" in (tmp_path / "a.svg").read_text()


LONG = "x" * 5000


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("evil", "unknown command 'evil'; near: eval"),
        ("eval kv-byte", "unknown formula 'kv-byte'; near: kv-bytes"),
        ("eval kv-bytes --model llama-9", "unknown model 'llama-9'"),
        ("eval kv-bytes --device h100", "h100"),
        ("eval kv-bytes --model llama-3.1-8b batch=1 context=NaN", "context"),
        ("eval kv-bytes --model llama-3.1-8b batch=1 context=1e999", "context"),
        ("eval kv-bytes --model llama-3.1-8b batch=1 context=\u0663", "context"),
        ("eval kv-bytes --model llama-3.1-8b batch=1 'context=<b>7</b>'", "context"),
        ("eval kv-bytes --model llama-3.1-8b batch=1 context=", "expected name=value"),
        (f"eval kv-bytes --model llama-3.1-8b batch=1 context={LONG}", "context"),
        (f"show {LONG}", "unknown name"),
        ("eval kv-bytes --model nowhere/config.json", "model = nowhere/config.json: No such file"),
        ("list everything", "everything"),
        ("show nobody", "unknown name 'nobody'"),
        ("solve kv-bytes --model llama-3.1-8b", "--for"),
        ("solve kv-bytes --for speed --model llama-3.1-8b kv_bytes=1GB batch=1", "unknown symbol 'speed'"),
        ("model llama-3.1-8b --context 0", "0"),
        ("model llama-3.1-8b --weights fp3", "unknown format 'fp3'"),
        ("roofline llama-3.1-8b m3-max --dtype bf16", "m3-max has no published peak"),
        ("estimate --model llama-3.1-8b", "a scenario needs device"),
        (f"estimate {LLAMA} --tp 6", "tp = 6: llama-3.1-70b has 64 query heads"),
        (f"estimate {LLAMA} --tp two", "tp = 'two': must be a whole number"),
        (f"estimate {LLAMA} --batch 100000", "it fits with batch <="),
        (f"estimate {LLAMA} --assume eta_mem=7", "eta_mem"),
        (f"estimate {LLAMA} --assume eta_mem=0.5,0.6,0.7", "must be a number, or two"),
        (f"estimate {LLAMA} --assert tpot", "expected a comparison"),
        (f"estimate {LLAMA} --assert 'tpot<=4GB'", "it is compared with s"),
        (f"estimate {LLAMA} --assert 'tpot<=40'", "give it with its unit"),
        (f"estimate {LLAMA} --assert 'speed<=4'", "unknown result 'speed'"),
        (f"estimate {LLAMA} --explain speed", "unknown result 'speed'"),
        ("estimate --file nowhere.toml", "No such file"),
        ("sweep --model llama-3.1-8b --device h100-sxm --over batch", "expected NAME=VALUES"),
        ("sweep --model llama-3.1-8b --device h100-sxm --over batch=9..1", "expected LOW..HIGH"),
        ("sweep --model llama-3.1-8b --device h100-sxm --over colour=red", "colour"),
        ("sweep --model llama-3.1-8b --device h100-sxm --over batch=1 --out a.txt", "must end in .csv or .parquet"),
        ("sweep --model llama-3.1-8b --device h100-sxm --over batch=1 --plot a.svg", "at least two numbers"),
        ("check nowhere.txt", "nowhere.txt"),
        ("list models --json --csv", "exclude each other"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(line, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run(line)
    assert found.exit_code == 2, found.output
    assert says in found.stderr and "Traceback" not in found.stderr
    last = found.stderr.strip().splitlines()[-1]
    assert len(last) < 2000


def test_the_commands_of_the_readme():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```console\n(.*?)```", text, re.S)
    shown = re.findall(r"^\$ aiinfra (.+)\n(.+)$", block, re.M)
    assert len(shown) == 3
    for line, wanted in shown:
        assert any(row.split() == wanted.split() for row in answer(line).splitlines()), line


@pytest.mark.parametrize(("flops", "warned"), [("5e11", False), ("2e13", True)])
def test_a_utilisation_above_one_is_noted(flops, warned):
    found = run(f"eval mfu --device h100-sxm --dtype bf16 step_flops={flops} t_step=0.01 devices=1")
    assert found.exit_code == 0 and ("mfu above 100 %" in found.stderr) == warned


def test_rates_of_a_device_and_of_all_replicas():
    found = json.loads(answer(f"estimate {LLAMA} --replicas 3 --json"))
    one = found["results"]["service.tokens.expected.slow"]["value"]
    assert found["per_device"]["service.tokens.expected.slow"]["value"] == pytest.approx(one / 8)
    assert found["all_replicas"]["service.tokens.expected.slow"]["value"] == pytest.approx(one * 3)


def test_options_complete_a_file(tmp_path):
    file = tmp_path / "half.toml"
    file.write_text('model = "llama-3.1-8b"\n[assume]\neta_mem = [0.5, 0.6]\n')
    found = json.loads(answer(f"estimate --file {file} --device h100-sxm --assume t_host=0 --json"))
    assert (found["assumptions"]["eta_mem"]["slow"], found["assumptions"]["t_host"]["slow"]) == (0.5, 0)
    file.write_text("tp = " + "1" * 5000)
    assert run(f"estimate --file {file}").exit_code == 2
    assert run(f"estimate --file {tmp_path}").exit_code == 2


EIGHT = "sweep --model llama-3.1-8b --device h100-sxm"


@pytest.mark.parametrize(
    ("over", "left", "says"),
    [
        ("--over tp=3,1 --over batch=1,2", 2, "refused 3: tp = 3"),
        ("--over prompt=200000,1024", 1, ""),
        ("--over memory=1,64GB", 1, "refused 1: memory = 1: must be text with its unit"),
        ("--over concurrency=1,2,8 --replicas 2", 2, ""),
    ],
)
def test_a_first_value_that_is_impossible_refuses_itself_only(over, left, says):
    found = run(f"{EIGHT} {over} --result decode.bound --json")
    assert found.exit_code == 0 and says in found.stderr
    document = json.loads(found.stdout)
    jsonschema.validate(document, SCHEMA)
    assert len(document["rows"]) == left


def test_requests_of_all_replicas_are_shared_out_evenly():
    rows = json.loads(answer(f"{EIGHT} --over replicas=1,2,4 --over concurrency=8,16 --result decode.bound --json"))["rows"]
    alone = json.loads(answer(f"{EIGHT} --over batch=2,4,8,16 --result decode.bound --json"))["rows"]
    batches = {row["batch"]: row["decode.bound"] for row in alone}
    assert all(row["decode.bound"] == batches[row["concurrency"] // row["replicas"]] for row in rows) and len(rows) == 6


def test_the_largest_batch_within_a_limit_is_that_of_single_estimates():
    line = f'{EIGHT} --over batch=1..64 --assert "tpot<=9ms"'
    kept = [row["batch"] for row in json.loads(answer(f"{line} --json"))["rows"]]
    [best] = json.loads(answer(f"{line} --most batch --json"))["rows"]
    assert best["batch"] == max(kept) < 64 and kept == list(range(1, max(kept) + 1))
    for batch, code in ((best["batch"], 0), (best["batch"] + 1, 1)):
        assert run(f'estimate --model llama-3.1-8b --device h100-sxm --batch {batch} --assert "tpot<=9ms"').exit_code == code
    [least] = json.loads(answer(f"{line} --least tpot --json"))["rows"]
    assert least["batch"] == 1
    none = run(f'{EIGHT} --over batch=1..4 --assert "tpot<=1us"')
    assert none.exit_code == 1 and "no point keeps tpot<=1us" in none.stderr


def test_what_a_point_does_not_have_is_null_in_json():
    rows = json.loads(answer(f"{EIGHT} --over batch=1,100000 --result decode.bound --result memory.headroom --json"))["rows"]
    assert rows[1]["decode.bound"] is None and rows[1]["memory.headroom"] < 0


def test_many_refusals_are_counted():
    found = run(f"{EIGHT} --over tp=1,3,5,7,9,11,13,15 --result decode.bound")
    assert found.stderr.count("refused") == 6 and found.stderr.endswith("refused 2 more\n")


def test_what_cannot_be_written_is_refused_before_anything_is_computed(monkeypatch, tmp_path):
    from aiinfra.scenario import sweep

    monkeypatch.setattr(sweep, "sweep", lambda *_, **__: pytest.fail("computed"))
    for option in (f"--out {tmp_path}/a.txt", f"--plot {tmp_path}/a.txt", f"--out {tmp_path}/nowhere/a.csv"):
        assert run(f"{EIGHT} --over batch=1,2 {option}").exit_code == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{EIGHT} --over chunk=1..200000", "200,000 combinations beside batch, prompt and output: 100,000 at most"),
        (f"{EIGHT} --over batch=1,2 --over concurrency=1,2", "sweep one of them"),
        (f"{EIGHT} --over batch=1,2 --most batch --least tpot", "exclude each other"),
        (f"{EIGHT} --over weights=bf16,fp8 --most weights", "its values are names"),
        (f"{EIGHT} --over batch=1,2 --assert 'tpot<=4'", "give it with its unit"),
        (f"{EIGHT} --over batch=1,2 --assert 'tpot<=4xs'", "limit 'tpot<=4xs': unknown unit"),
        (f"{EIGHT} --over tp=3,5", "no combination is possible"),
        (f"{EIGHT} --tp 3 --over batch=1,2", "tp = 3"),
    ],
)
def test_a_sweep_that_cannot_be_is_one_line(line, says):
    found = run(line)
    assert found.exit_code == 2 and says in found.stderr.splitlines()[-1]


def test_replicas_are_compared_by_what_is_the_same(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('model = "llama-3.1-70b"\ndevice = "h100-sxm"\ntp = 8\nbatch = 4\n')
    found = json.loads(answer(f"compare {file} replicas=3 --json"))
    jsonschema.validate(found, SCHEMA)
    for group in ("results", "per_device"):
        assert [row["factor"] for row in found[group] if row["name"] == "service.tokens.bound"] == [1]
    assert all(row["factor"] == pytest.approx(3) for row in found["all_replicas"])
    assert json.loads(answer(f"compare {file} batch=8 --json"))["all_replicas"] == []


def test_limits_of_a_device_and_of_all_replicas():
    found = json.loads(answer(f"estimate {LLAMA} --replicas 3 --json"))
    whole = found["all_replicas"]["service.tokens.expected.slow"]["value"]
    for name, value in (("tokens.all", whole), ("tokens.device", whole / 24), ("service.tokens.expected.slow.all", whole)):
        assert run(f'estimate {LLAMA} --replicas 3 --assert "{name}>={value * 0.99} token/s"').exit_code == 0
        assert run(f'estimate {LLAMA} --replicas 3 --assert "{name}>={value * 1.01} token/s"').exit_code == 1


def test_json_says_what_was_given_in_place_of_the_catalogue():
    found = json.loads(answer(f"estimate {LLAMA} --price '$3.60/h' --power 700W --dtype bf16 --json"))
    jsonschema.validate(found, SCHEMA)
    s = found["scenario"]
    assert s["price"] == {"value": pytest.approx(0.001), "unit": "USD/s", "relation": "="}
    assert (s["power"]["value"], s["power"]["unit"], s["memory"], s["concurrency"], s["dtype"]) == (700, "W", None, None, "bf16")


def test_help_states_defaults():
    from aiinfra.scenario import Scenario

    text = " ".join(answer("estimate --help").split())
    for name in ("tp", "replicas", "prompt", "output", "activations", "chunk", "page"):
        assert f"[default: {getattr(Scenario, name)}]" in text, name


@pytest.mark.parametrize("title", ["", "A title"])
def test_many_rows_are_laid_out_as_rich_draws_few(title):
    from aiinfra.cli.output import Table, drawn, laid_out

    table = Table(("a", "long head", "c"), [("1", "x – ü 表", ""), ("22222", "", "tail")], title)
    assert laid_out(table) == drawn(table)


def test_shares_of_the_tokens_stand_below_the_tokens():
    rows = answer(f"estimate {LLAMA} --replicas 3").splitlines()
    at = next(i for i, row in enumerate(rows) if row.startswith(" answer tokens a second"))
    assert rows[at + 1].split()[:3] == ["of", "one", "device"] and rows[at + 2].split()[:4] == ["of", "all", "3", "replicas"]
