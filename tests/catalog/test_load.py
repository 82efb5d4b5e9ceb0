"""The schema refuses what breaks it, naming file, entry and field; what is in the catalogue adds up."""

import copy
import pickle
import random
import re

import pytest
from entries import DEVICE, MEASURED, MODEL, PEAK, SOURCE, config, entry, value

from aiinfra import device, devices, errors, model, models
from aiinfra.catalog import measurements
from aiinfra.catalog.load import measurement, read_devices, read_measurements, read_models
from aiinfra.catalog.totals import counted
from aiinfra.formats import BYTES
from aiinfra.sources import titles


@pytest.fixture
def read(tmp_path):
    def reader(function, *texts):
        paths = [tmp_path / f"file{n}.toml" for n in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return function(paths)

    return reader


def test_the_smallest_entries_are_read(read):
    found = read(read_models, entry(MODEL))["x"]
    assert (found.n_kv.value, found.n_kv.at, found.d_head.value, found.published_total.value) == (2, "num_key_value_heads, p. 1", 16, 8)
    assert found.n_param.value == 2 * 100 * 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96 + 2 * 64) + 64
    found = read(read_devices, entry(DEVICE) + entry(PEAK, '[["x".peak]]'))["x"]
    assert (found.memory_bandwidth.value, found.peak("bf16").value) == ("2 TB/s", "1 TFLOP/s")
    assert read(read_measurements, entry(MEASURED))["x"].value == "5 ms"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"published_total": "8"}, "published_total = 8: expected a table with value, source, at"),
        ({"published_total": "{ value = 8 }"}, "published_total = 8: lacks source, at, read, kind, verified; every value needs its source"),
        ({"published_total": value("8", SOURCE.replace('at = "p. 1", ', ""))}, "published_total = 8: lacks at;"),
        ({"published_total": value("8", SOURCE.replace("p. 1", " "))}, "published_total: at = ' ' must say where"),
        ({"published_total": value("8", SOURCE.replace("amdahl", "nobody"))}, "published_total: unknown source 'nobody1967'"),
        ({"published_total": value("8", SOURCE.replace('"amdahl1967"', "[1]"))}, "published_total: source = .* must be text"),
        ({"published_total": value("8", SOURCE.replace('"paper"', '"rumour"'))}, "published_total: unknown kind 'rumour'"),
        ({"published_total": value("8", SOURCE.replace("2026-12-01", '"today"'))}, "published_total: read = 'today' must be a date"),
        ({"published_total": value("8", SOURCE.replace("true", '"yes"'))}, "published_total: verified = 'yes' must be true or false"),
        ({"published_total": value("8", SOURCE + ", page = 3")}, "published_total: unknown field 'page'"),
        ({"published_total": value("8", SOURCE + ", note = 3")}, "published_total: note = 3 must be text"),
        ({"published_total": value("-8")}, "published_total = -8: must be a whole number above zero"),
        ({"published_total": value("0")}, "published_total = 0: must be a whole number"),
        ({"published_total": value("8.0")}, "published_total = 8.0: must be a whole number"),
        ({"published_total": value("true")}, "published_total = True: must be a whole number"),
        ({"published_total": value('"8"')}, "published_total = '8': must be a whole number"),
        ({"published_round": value("8")}, "published_round = 8: must be text"),
        ({"published_of": '"language"'}, "published_of = 'language' must be a list of sections"),
        ({"config": None}, "config = None must be a list of tables"),
        ({"config": "[]"}, r"config = \[\] must be a list of tables"),
        ({"config": "[{ fields = { a = 1 } }]"}, "a config lacks source, at, read, kind, verified; every value needs its source"),
        ({"config": f"[{config('')}]"}, "config: fields = {} must be a table"),
        ({"config": f"[{config(source=SOURCE.replace('amdahl', 'nobody'))}]"}, "config: unknown source 'nobody1967'"),
        ({"config": f"[{config(source=SOURCE + ', page = 3')}]"}, "config: unknown field 'page'"),
        ({"config": f"[{config()}, {config('vocab_size = 3')}]"}, "two sources give vocab_size"),
        ({"name": "3"}, "name = 3 must be text"),
        ({"name": '""'}, "name = '' must be text"),
        ({"publish_total": value("8")}, "unknown field 'publish_total'; near: published_total"),
        ({"vendor": None}, "field vendor is missing"),
    ],
)
def test_a_wrong_model_is_refused(read, change, says):
    table = {name: text for name, text in (MODEL | change).items() if text is not None}
    with pytest.raises(errors.CatalogError, match=f"^file0.toml, x(, |: ){says}") as error:
        read(read_models, entry(table))
    assert isinstance(error.value, ValueError)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"capacity": value("80")}, "capacity = 80: must be text with a unit, such as '80 B'"),
        ({"capacity": value('"80"')}, "capacity = '80': unit must measure B"),
        ({"capacity": value('"80 GB/s"')}, "capacity = '80 GB/s': unit must measure B"),
        ({"capacity": value('"80 Gb"')}, "capacity: unit 'Gb': .* Gbit or GB"),
        ({"capacity": value('"-80 GB"')}, "capacity = '-80 GB': must be above zero"),
        ({"capacity": value('"0 GB"')}, "capacity = '0 GB': must be above zero"),
        ({"capacity": value('"nan GB"')}, "capacity: quantity 'nan GB'"),
        ({"power": value('"700"')}, "power = '700': unit must measure W"),
        ({"bandwidth": value('"2 TB/s"')}, "unknown field 'bandwidth'; near: .*memory_bandwidth"),
        ({"peak": "3"}, "peak = 3 must be a list of tables"),
        ({"peak": '["bf16"]'}, "peak = .* must be a list of tables"),
    ],
)
def test_a_wrong_device_is_refused(read, change, says):
    with pytest.raises(errors.CatalogError, match=f"^file0.toml, x(, |: ){says}"):
        read(read_devices, entry(DEVICE | change))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sparse": None}, "a peak lacks sparse"),
        ({"sparse": "1"}, "peak bf16: sparse = 1 must be true or false"),
        ({"input": '"bf17"'}, "peak bf17: unknown format 'bf17'"),
        ({"input": "[1]"}, "input = .* must be text"),
        ({"value": '"1 TFLOPS"'}, "peak bf16: unit 'TFLOPS'"),
        ({"value": '"1 TB/s"'}, "peak bf16 = '1 TB/s': unit must measure FLOP/s"),
        ({"source": None}, "peak bf16 = '1 TFLOP/s': lacks source"),
    ],
)
def test_a_wrong_peak_is_refused(read, change, says):
    table = {name: text for name, text in (PEAK | change).items() if text is not None}
    with pytest.raises(errors.CatalogError, match=f"^file0.toml, x(, |: ){says}"):
        read(read_devices, entry(DEVICE) + entry(table, '[["x".peak]]'))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"source": None}, "lacks source"),
        ({"value": "5"}, "value: quantity 5"),
        ({"value": '"5 KB"'}, "value: unit 'KB'"),
        ({"batch": '"one"'}, "batch = 'one': must be a whole number"),
        ({"weights": '"int3"'}, "weights: unknown format 'int3'"),
        ({"device": "3"}, "device = 3 must be text"),
        ({"bacth": "1"}, "unknown field 'bacth'"),
    ],
)
def test_a_wrong_measurement_is_refused(read, change, says):
    table = {name: text for name, text in (MEASURED | change).items() if text is not None}
    with pytest.raises(errors.CatalogError, match=f"^file0.toml, x(, |: ){says}"):
        read(read_measurements, entry(table))


def test_a_key_stands_once(read):
    with pytest.raises(errors.CatalogError, match="^file0.toml: not TOML, or a key declared twice: .*x") as error:
        read(read_models, entry(MODEL) + entry(MODEL))
    assert "\n" not in str(error.value)
    with pytest.raises(errors.CatalogError, match="^file1.toml, x: the key is declared twice, first in file0.toml"):
        read(read_models, entry(MODEL), entry(MODEL))
    with pytest.raises(errors.CatalogError, match="^file0.toml, x: two peaks for "):
        read(read_devices, entry(DEVICE) + 2 * entry(PEAK, '[["x".peak]]'))
    with pytest.raises(errors.CatalogError, match="^file0.toml, x: expected a table, not 3"):
        read(read_models, "x = 3")


def test_files_that_are_no_toml(tmp_path):
    path = tmp_path / "bytes.toml"
    for content in (b"\xff\xfe", b"a = = 2", b"[x"):
        path.write_bytes(content)
        with pytest.raises(errors.CatalogError, match="^bytes.toml: not TOML"):
            read_models([path])


def test_nothing_but_a_catalogue_error_comes_out(read):
    """Any field with any kind of value in it: one clear line, never a traceback of the reader."""
    rng = random.Random(1)
    odd = [
        "3",
        "-1.5",
        "nan",
        "true",
        '""',
        '"x"',
        "[]",
        "[1]",
        "{}",
        "{ value = 3 }",
        "2026-12-01",
        '[{ value = "x" }]',
        value("{}"),
        value("[]"),
        value("nan"),
        value('"2 TB/s"', SOURCE + ", also = [{ value = [] }]"),
    ]
    for reader, table in ((read_models, MODEL), (read_devices, DEVICE), (read_measurements, MEASURED)):
        for name in [*table, "peak", "achieved", "extra", "size", "note"]:
            for text in rng.sample(odd, 9):
                try:
                    read(reader, entry(table | {name: text}))
                except errors.CatalogError as error:
                    assert "\n" not in str(error)  # noqa: PT017
    for name in PEAK:
        for text in odd:
            try:
                read(read_devices, entry(DEVICE) + entry(PEAK | {name: text}, '[["x".peak]]'))
            except errors.CatalogError as error:
                assert "\n" not in str(error)  # noqa: PT017


# What is in the catalogue


UNEXPLAINED = {"kimi-k2": 3_416, "kimi-k2.5": 1_036_800, "mimo-v2-flash": 1_006_537_536}  # parameters that a published total has more


@pytest.mark.parametrize("key", [key for key, m in models().items() if m.published_total])
def test_a_ledger_gives_the_published_total(key):
    assert counted(model(key)) + UNEXPLAINED.get(key, 0) == model(key).published_total.value


def rounded(text):
    """A published number as it is rounded: its value and half a unit of its last digit."""
    number, scale = float(text.strip("BMT")), {"B": 1e9, "M": 1e6, "T": 1e12}[text[-1]]
    digits = len(text.strip("BMT").partition(".")[2])
    return number * scale, 0.5 * 10**-digits * scale


@pytest.mark.parametrize("key", [key for key, m in models().items() if m.published_round])
def test_the_rounded_size_is_near(key):
    """Makers round as they like, and count tables and towers or not; a slip of a layer or a factor would show."""
    said, half = rounded(model(key).published_round.value)
    assert model(key).n_param.value == pytest.approx(said, rel=0.06, abs=half)


@pytest.mark.parametrize("key", [key for key, m in models().items() if m.published_active])
def test_the_rounded_active_size_is_near(key):
    said, half = rounded(model(key).published_active.value)
    tables = 2 * model(key).vocab.value * model(key).d_model.value
    assert said * 0.9 - half <= model(key).n_active.value <= said * 1.05 + half + tables, "with or without the token tables"


@pytest.mark.parametrize("key", models())
def test_a_model_is_whole(key):
    entry = model(key)
    assert entry.dtype.value in BYTES
    assert 0 < entry.n_active.value <= entry.n_param.value
    assert entry.ledger().state(4096) > 0


def test_five_and_forty_models():
    assert len(models()) >= 45


def values(entry):
    return [*entry.data.values(), *getattr(entry, "facts", ()), *(p.rate for p in getattr(entry, "peaks", ()))]


@pytest.mark.parametrize("entry", [*models().values(), *devices().values()], ids=repr)
def test_every_value_says_who_says_so(entry):
    for row in values(entry):
        assert row.source in titles()
        assert row.at.strip()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row.read)
        assert row.verified or row.note, f"{entry}: what was not seen in the source itself needs a note"


def test_dense_is_meant_unless_sparse_is_said():
    h100 = device("h100-sxm")
    assert h100.peak("bf16", sparse=True).value.value == pytest.approx(2 * h100.peak("bf16").value.value, rel=1e-3)
    assert h100.symbols("bf16")["peak"] == h100.peak("bf16").value.value
    assert f"{h100.peak('bf16')}".startswith("989")


def test_the_accumulator_may_be_named():
    ada = device("rtx-4090")
    assert ada.peak("fp16", accumulate="fp16").value.value == pytest.approx(2 * ada.peak("fp16").value.value, rel=1e-2)
    assert ada.peak("fp16").value == ada.peak("fp16", accumulate="fp32").value


@pytest.mark.parametrize(
    ("key", "asked", "says"),
    [
        ("h100-sxm", {"dtype": "fp4"}, "h100-sxm has no published peak dense fp4; it has .*bf16"),
        ("a100-80-sxm", {"dtype": "fp8"}, "no published peak dense fp8"),
        ("h100-sxm", {"dtype": "fp64", "sparse": True}, "no published peak sparse fp64"),
        ("h100-sxm", {"dtype": "bf16", "accumulate": "fp16"}, "peak dense bf16 with fp16 accumulator"),
    ],
)
def test_a_peak_that_nobody_publishes_is_named(key, asked, says):
    with pytest.raises(errors.MissingInput, match=says):
        device(key).peak(**asked)


def test_a_family_with_several_members_lists_them():
    with pytest.raises(KeyError, match="several variants; say which: llama-3.1-405b, llama-3.1-70b, llama-3.1-8b"):
        model("llama-3.1")
    with pytest.raises(KeyError, match="device 'h100' has several variants; say which: h100-nvl, h100-pcie, h100-sxm"):
        device("h100")


@pytest.mark.parametrize("find", [model, device, measurement])
@pytest.mark.parametrize("key", [None, 3, [], "", "h1000-sxmm", "nobody", "a\nb"])
def test_unknown_entries_list_what_is_near(find, key):
    with pytest.raises(KeyError, match="unknown (model|device|measurement) ") as error:
        find(key)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("entry", [*models().values(), *devices().values(), *measurements().values()], ids=lambda e: e.key)
def test_entries_travel_between_processes(entry):
    assert pickle.loads(pickle.dumps(entry)) == entry == copy.deepcopy(entry)


def test_measurements_name_entries_that_exist():
    for found in measurements().values():
        assert found.model is None or model(found.model)
        assert found.device is None or device(found.device)
        assert found.source in titles()
        assert found.verified or found.note
