"""The tables of the catalogue of devices: values as printed, what was achieved, and where sources disagree."""

import re

import pytest

from aiinfra import device, devices

BOOK = {
    "devices": "# Devices\n\n```{devices}\n```\n",
    "apart": "# Apart\n\n```{disagreements}\n```\n\n## All\n\n```{devices}\n```\n",
    "achieved": "# Achieved\n\n```{achieved}\n```\n",
    "few": "# Few\n\n```{achieved} h100-sxm rtx-5090\n:what: memory\n```\n",
}


@pytest.fixture(scope="module")
def pages(library):
    book = library("devices", BOOK)
    app = book.build()
    assert book.warnings(app) == []
    return {name: (app.outdir / f"{name}.html").read_text(encoding="utf-8") for name in BOOK}


def rows(html):
    """The cells of every row of the first table, as text."""
    table = re.search(r"<tbody>(.*?)</tbody>", html, re.S)[1]
    plain = [[re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.S)] for row in table.split("</tr>")]
    clean = [[" ".join(cell.replace("\u200b", "").split()) for cell in row] for row in plain]
    return [row for row in clean if row]


def test_the_overview_prints_what_the_sources_print(pages):
    found = {row[0]: row[1:] for row in rows(pages["devices"])}
    assert len(found) == len(devices())
    assert found[device("h100-sxm").name] == ["80 GB", "3.35 TB/s", "989.4 TFLOP/s", "450 GB/s", "700 W"]
    assert found[device("m4-pro").name] == ["64 GB", "273 GB/s", "–", "–", "–"]


def test_a_device_names_all_its_sources(pages):
    html = pages["devices"]
    start = html.index('id="devices-h100-sxm"')
    text = " ".join(re.sub("<[^>]+>", "", html[start : html.index("</section>", start)]).replace("\u200b", "").split())
    assert "BF16 989.4 TFLOP/s, BF16 sparse 1,978.9 TFLOP/s" in text
    assert "memory bandwidth 3.35 TB/s (systems/h100_sxm.yaml, gpu.mem_bw)" in text
    assert "FP16, FP16 sum, vector 133.8 TFLOP/s" in text
    assert re.search(r"Also in\. .*memory bandwidth 3,352 GB/s", text)
    assert "3,000 GB/s" not in text  # it disagrees
    assert re.search(r"price on demand 6\.88 USD/h", text)


def test_where_sources_disagree(pages):
    found = rows(pages["apart"])
    first = [row for row in found if row[0] == "h100-sxm" and row[1] == "memory bandwidth" and row[3] == "3,000 GB/s"]
    assert [row[2:5] for row in first] == [["3.35 TB/s", "3,000 GB/s", "0.8955"]]
    assert "Table 3, H100 SXM5, memory bandwidth: preliminary" in first[0][5]
    both = [row for row in found if row[0] == "ascend-910b2" and row[3] == "376 TFLOP/s"]
    assert [row[1] for row in both] == ["BF16; FP16"]  # one row for formats that differ in the same way
    assert not [row for row in found if "price" in row[1]]
    assert len(found) >= 60


def test_what_was_achieved(pages):
    found = rows(pages["achieved"])
    assert len(found) == sum(len(device(key).achieved) for key in devices())
    order = ["matrix", "memory", "link"]
    places = [order.index(row[1].partition(",")[0]) for row in found]
    assert places == sorted(places)
    for _, _, rated, _, share, how in found:
        assert (rated == "–") == (share == "–")
        assert how
        if rated != "–":
            assert re.fullmatch(r"\d+ %", share)
    azure = [row for row in found if row[0] == device("h100-sxm").name and row[3] == "2.97 TB/s"]
    assert [row[1:5] for row in azure] == [["memory", "3.35 TB/s", "2.97 TB/s", "89 %"]]


def test_what_some_devices_achieved(pages):
    found = rows(pages["few"])
    assert {row[0] for row in found} == {device("h100-sxm").name, device("rtx-5090").name}
    assert {row[1] for row in found} == {"memory"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```{achieved} h100\n```", "achieved: device 'h100' has several variants; say which: h100-nvl, h100-pcie, h100-sxm"),
        ("```{achieved} nobody\n```", "achieved: unknown device 'nobody'"),
        ("```{achieved} grace\n```", "achieved: grace: the catalogue has no measured matrix or memory or link"),
        ("```{achieved} h20\n:what: link\n```", "achieved: h20: the catalogue has no measured link"),
        ("```{achieved}\n:what: disk\n```", "achieved: unknown measurement 'disk'"),
    ],
)
def test_a_wrong_table_is_a_warning_at_its_line(library, text, says):
    book = library("wrong", {"one": f"# One\n\n{text}\n"})
    (found,) = book.warnings(book.build())
    assert found[:2] == ("one", 3)
    assert found[2].startswith(says)
