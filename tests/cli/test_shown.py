"""What is shown of a name, and what a result says of itself: all digits, base units, its source, its limit."""

import csv
import io
import json
import math
import random
import shlex
from fractions import Fraction
from importlib.resources import files

import jsonschema
import points
import pytest
from click.testing import CliRunner

from aiinfra import device, devices, formula, formula_keys, measurements, models, sources, units
from aiinfra.cli import cli, doctor, show
from aiinfra.engine import table

SCHEMA = json.loads(files("aiinfra.cli").joinpath("schema.json").read_text(encoding="utf-8"))
NAMES = [*list(formula_keys())[::23], *list(table.table().symbols)[::37], *list(models())[::17], *list(devices())[::9], *measurements()]


def run(line):
    return CliRunner().invoke(cli, shlex.split(line))


def answer(line):
    found = run(line)
    assert found.exit_code == 0, found.output
    return found.stdout


def shown(name):
    return json.loads(answer(f"show {name} --json"))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_shown_in_every_form(name):
    jsonschema.validate(shown(name), SCHEMA)
    head, *rows = csv.reader(io.StringIO(answer(f"show {name} --csv")))
    assert rows and {len(row) for row in rows} == {len(head)}
    assert answer(f"show {name}").startswith(f"{name}: ")


@pytest.mark.parametrize("key", list(devices())[::7])
def test_a_number_in_json_is_in_the_unit_beside_it(key):
    entry, found = device(key), shown(key)["values"]
    for name, value in entry.data.items():
        if isinstance(value.value, units.Quantity):
            assert found[name]["value"] == value.value.value
            assert units.parse_unit(found[name]["unit"]) == (Fraction(1), value.value.unit)


def test_values_keep_the_digits_of_their_source():
    assert "3.35 TB/s" in answer("show h100-sxm") and "989.4 TFLOP/s" in answer("show h100-sxm")
    found = shown("h100-sxm")["values"]
    assert (found["memory_bandwidth"]["value"], found["memory_bandwidth"]["unit"]) == (3_350_000_000_000, "B/s")
    rows = {row["field"]: row for row in reversed(list(csv.DictReader(io.StringIO(answer("show h100-sxm --csv")))))}
    assert (rows["memory_bandwidth"]["value"], rows["memory_bandwidth"]["unit"]) == ("3350000000000", "B/s")
    assert all(row["source"] and row["at"] for row in rows.values())


@pytest.mark.parametrize("key", formula_keys())
def test_the_right_side_that_is_shown_is_that_of_the_formula(key):
    f = formula(key)
    point = points.inside(f, random.Random(key))
    scope = vars(math) | {"every": table.table().module.every} | point
    try:
        wanted = f.record.point(**point)
    except (OverflowError, ZeroDivisionError):
        return
    assert eval(show.expression(f.record), scope) == pytest.approx(wanted, rel=1e-9)  # our own text


def test_a_formula_is_shown_with_its_conditions_and_sources():
    text = answer("show experts-touched")
    assert "n_expert * (1 - (-(n_chosen / n_expert) + 1) ** tokens)" in text and "only where n_chosen <= n_expert" in text
    assert f"source: kwon2023vllm, {sources.titles()['kwon2023vllm']}" in answer("show kv-bytes")


@pytest.mark.parametrize(
    ("limit", "code", "says"),
    [
        ("<=1s", 0, ""), ("transfer_time<=1s", 2, "unknown result 'transfer_time'"), ("transfer-time<=1s", 0, ""),
        ("t_transfer<=2s", 0, ""), ("<1s", 1, "transfer-time >= 1 s breaks <1 s"),
        (">1s", 1, "breaks >1 s"), ("tpot<=2s", 2, "unknown result 'tpot'"),
    ],
)  # fmt: skip
def test_a_limit_names_the_result_and_says_when_it_breaks(limit, code, says):
    symbol = formula("transfer-time").symbol
    found = run(f"eval transfer-time data=1GB beta=1GB/s --assert '{limit.replace('t_transfer', symbol)}'")
    assert found.exit_code == code
    assert says in found.stderr and len(found.stderr.splitlines()) == bool(says)


def test_csv_of_a_result_begins_with_it():
    rows = list(csv.DictReader(io.StringIO(answer("eval kv-bytes-per-token --model llama-3.1-70b --csv"))))
    assert (rows[0]["value"], rows[0]["unit"], rows[0]["relation"], rows[0]["source"]) == ("327680", "B", "=", "kv-bytes-per-token")
    assert {row["name"]: row["value"] for row in rows[1:]} == {"n_layer": "80", "n_kv": "8", "d_head": "128", "b_kv": "2"}


@pytest.mark.parametrize(("command", "more"), [("eval", ""), ("explain", ""), ("solve", "--for batch kv_bytes=1GB")])
def test_model_device_and_dtype_may_stand_among_the_inputs(command, more):
    key = "kv-bytes context=100" + ("" if more else " batch=4")
    assert answer(f"{command} {key} {more} model=llama-3.1-8b") == answer(f"{command} {key} {more} --model llama-3.1-8b")
    found = run(f"{command} {key} {more} model=llama-3.1-8b --model llama-3.1-70b")
    assert found.exit_code == 2 and "model is given twice: 'llama-3.1-70b' and 'llama-3.1-8b'" in found.stderr


def test_devices_share_a_roofline():
    one, two = (json.loads(answer(f"roofline llama-3.1-8b h100-sxm --context 100 --devices {n} --json"))["operators"] for n in (1, 2))
    assert [a["time"] for a in one] == pytest.approx([2 * b["time"] for b in two])
    assert one[0] | {"time": 0} == two[0] | {"time": 0}
    found = run("roofline llama-3.1-8b h100-sxm --context 100 --prompt 7")
    assert found.exit_code == 2 and "either --context" in found.stderr


def test_a_list_without_a_match_says_so():
    assert answer("list models '[red]'") == f"none of the {len(models())} models contains '[red]'\n"
    assert json.loads(answer("list models '[red]' --json"))["entries"] == []


def broken(monkeypatch, place, name, value):
    monkeypatch.setattr(place, name, value)
    found = run("doctor --json")
    assert found.exit_code == 1
    return {row["name"]: row["detail"] for row in json.loads(found.stdout)["checks"] if row["state"] == "broken"}


def test_doctor_names_what_is_broken(monkeypatch, tmp_path):
    def wrong():
        raise ArithmeticError("two\nlines")

    with monkeypatch.context() as patch:
        assert broken(patch, doctor, "_formula", wrong) == {"formula": "ArithmeticError: two lines"}
    with monkeypatch.context() as patch:
        assert "cannot be written" in broken(patch, table, "TARGET", tmp_path / "_numeric.py")["numeric code"]
    with monkeypatch.context() as patch:
        assert broken(patch, doctor, "NEEDED", ("sympy", "a-package-of-nobody")) == {"a-package-of-nobody": "is needed"}
