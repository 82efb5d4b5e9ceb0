"""A tiny book that uses every directive and role: what its HTML, EPUB and LaTeX must hold."""

import re
from html.parser import HTMLParser

import pytest
from mistakes import CASE, LEDGER, MEMORY, PLOT, d

from aiinfra import formula, formulas, units
from aiinfra.book.calls import Cases, ask
from aiinfra.engine.derivation import DERIVATIONS

KEYS = tuple(formulas.load())
HALF = len(KEYS) // 2
ONE = " ".join(CASE.split("\n")[1:2])
REQUESTS = [
    "kv-bytes-per-token @one",
    "kv-bytes @one batch=16 in GB",
    "weight-bytes @one weights=int4 in GiB as .3f",
    "decode-step-bound @one in ms",
    "kv-bytes solve context @one kv_bytes='10 GB'",
    "memory-time = compute-time over batch @one context=512",
    "balance-batch @one",
    "h100-sxm peak bf16 in TFLOP/s",
    "gptfast-llama2-7b-tp1-bf16",
    "weight-bytes @one / h100-sxm capacity as .2f",
    "'1 B' - '3 GB' in GB",
    "1 / 3000000",
]
MORE = """\
marks: [{x: 8, text: '{{ kv-bytes @one in GB }}'}]
bands: [{from: 2, to: 4, text: here}]
points: [{x: 5, y: 6, text: seen}]
x_range: [1, 64]
series:
- {label: twice, y: decode-step-bound @one * 2 in ms}"""
TIMELINE = "title: A request\ncaption: Its time.\nrows:\n- {label: GPU, spans: [{lasts: 2, label: prompt}, {lasts: 9, divisions: 3}]}"
PATH = "title: A path\ncaption: It.\nnodes: [{label: host}, {label: HBM}]\nhops: [{bandwidth: h100-sxm memory_bandwidth in GB/s}]"
RING = "title: A ring\ncaption: Eight devices.\nkind: ring\ndevices: 8"
TILES = "title: Tiles\ncaption: Of a matrix.\nrows: 8\ncolumns: 6\ntile_rows: 4\ntile_columns: 2"


ROWS = """\
- {what: cache, bytes: '"67 GB"', times: 3, path: HBM, bandwidth: '"3.35 TB/s"', waits: all, trip: '"1 ms"', trips: 2}
- {what: copy, bytes: '"10 GB"', times: 1, path: PCIe, bandwidth: '"64 GB/s"', waits: none, hidden: true}
- {what: sums, bytes: '"2 TFLOP"', times: 5, path: units, bandwidth: '"1 PFLOP/s"', waits: all}
```"""


def derived(keys) -> str:
    return "\n\n".join(f"{d('formula', key)}\n\n{d('derivation', key) if key in DERIVATIONS else ''}" for key in keys)


CHAPTERS = {
    "part/one": f"# One\n\n{derived(KEYS[:HALF])}\n",
    "part/two": f"# Two\n\n{derived(KEYS[HALF:])}\n\nSee {{eq}}`{KEYS[0]}` and {{eq}}`{KEYS[-1]}`.\n",
    "use": f"# Of use {{value}}`kv-bytes-per-token model=llama-3.1-8b`\n\n{CASE}"
    + d("case", "half", "@one weights=fp8") + "\n\n"
    + "\n".join(f"- about {{value}}`{request}`" for request in REQUESTS)
    + "\n\n"
    + "\n\n".join(
        [
            d("worked", "decode-step-bound @one in ms", "Some *text*.", title="A step"),
            d("worked", "weight-bytes n_param=7e9 b_w='1 B'", name="seven"),
            d("worked", "overlap-bound @one in us as .4g"),
            d("worked", "weight-bytes @half"),
            d("flip", "memory-time = compute-time over batch @one context=512", "Text.", title="Which", below="one.", above="other."),
            PLOT.replace("series:", MORE),
            MEMORY,
            d("diagram", "timeline fig-t", TIMELINE),
            d("diagram", "path fig-h", PATH),
            d("diagram", "topology fig-r", RING),
            d("diagram", "tiles fig-s", TILES),
            "Compare {numref}`fig-p` and {numref}`fig-s`.",
            LEDGER.removesuffix("```") + ROWS,
            d("exercise", "ex-a", "How many?", title="First"),
            d("solution", "ex-a", "Like so: {value}`kv-bytes @one`.", answer="kv-bytes @one in GB"),
            d("exercise", "42_%", "And now?", title="Second", hard=""),
            d("solution", "42_%", "Words alone."),
        ]
    )
    + "\n",
    "appendix": "# Appendix\n\n" + "\n\n".join(f"## {kind}\n\n{d(kind)}" for kind in ("symbols", "formulas", "measurements", "answers")),
    "devices": f"# Devices\n\n{d('devices')}\n\n## Achieved\n\n{d('achieved')}\n\n## Apart\n\n{d('disagreements')}\n",
    "models": f"# Models\n\n{d('models')}\n",
}
CASES = Cases()
CASES.add("one", ONE)


class Page(HTMLParser):
    """Start tags with their attributes, and the text under each element of interest."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str, **attributes) -> list[dict]:
        return [found for name, found in self.tags if name == tag and attributes.items() <= found.items()]


@pytest.fixture(scope="module")
def book(library):
    return library("good", CHAPTERS)


@pytest.fixture(scope="module")
def html(book):
    """Text of each page, built without a warning."""
    app = book.build("html")
    assert book.warnings(app) == []
    return {str(path.relative_to(app.outdir).with_suffix("")): path.read_text(encoding="utf-8") for path in app.outdir.rglob("*.html")}


@pytest.fixture(scope="module")
def latex(book):
    app = book.build("latex")
    assert book.warnings(app) == []
    [path] = app.outdir.glob("*.tex")
    return app.outdir, path.read_text(encoding="utf-8")


def plain(html: str) -> str:
    power = re.sub(r"\u00a0×\u00a010<sup>(.*?)</sup>", r"e\1", html)
    return re.sub("<[^>]*>", "", power).replace("\u00a0", " ").replace("\u2212", "-").replace(",", "")


def test_numbers_are_those_of_the_library(html):
    shown = re.findall(r'<li><p>about <span class="value" title="(.*?)">(.*?)</span></p></li>', html["use"])
    assert len(shown) == len(REQUESTS)
    for request, (_, text) in zip(REQUESTS, shown, strict=True):
        answer = ask(request, CASES)
        assert units.parse(plain(text)).value == pytest.approx(float(answer.value), rel=6e-3), request
        assert float(plain(text).split()[0]) == pytest.approx(float(str(answer).split()[0].replace(",", "")))


def test_a_ledger_adds_up_what_is_waited_for(html):
    [table] = re.findall(r'<table[^>]*ledger-table.*?</table>', html["use"], re.S)
    rows = [re.findall(r"<td>(.*?)</td>", row, re.S) for row in re.findall(r"<tr.*?</tr>", table, re.S)[1:]]
    assert [plain(row[4]).strip() for row in rows] == ["20.9 ms", "66 ms", "(156 ms)", "10 ms", "96.9 ms"]


def test_a_step_that_is_not_proved_says_so(library, monkeypatch):
    found = DERIVATIONS["kv-bytes-per-token"]
    monkeypatch.setattr(found, "lines", [*found.lines[:-1], found.lines[-1]._replace(sampled=True)])
    book = library("sampled", {"one": f"# One\n\n{derived([found.key])}\n"})
    assert "not proved" in (book.build("html").outdir / "one.html").read_text(encoding="utf-8")


def test_a_number_says_which_formula_gave_it(html):
    titles = re.findall(r'about <span class="value" title="(.*?)">', html["use"])
    assert titles[0] == "kv-bytes-per-token (exact)"
    assert titles[3] == "decode-step-bound (lower bound)"
    assert titles[7] == "h100-sxm peak bf16 in TFLOP/s"


def test_equations_are_numbered_by_chapter_and_found(html):
    for page, chapter, keys in (("part/one", 1, KEYS[:HALF]), ("part/two", 2, KEYS[HALF:])):
        text = html[page]
        numbers = re.findall(r'id="equation-([^"]*)">.*?<span class="eqno">\((.*?)\)', text, re.S)  # roots are drawn in several lines
        assert numbers == [(key, f"{chapter}.{at}") for at, key in enumerate(keys, 1)]
    link = re.search(r'See <a [^>]*href="(.*?)"[^>]*>(.*?)</a> and <a [^>]*href="(.*?)"[^>]*>(.*?)</a>', html["part/two"])
    assert link.groups() == (f"one.html#equation-{KEYS[0]}", "(1.1)", f"#equation-{KEYS[-1]}", f"(2.{len(KEYS) - HALF})")
    for key in KEYS:
        at = KEYS.index(key)
        page, number = ("one", f"1.{at + 1}") if at < HALF else ("two", f"2.{at - HALF + 1}")
        link = rf'<a [^>]*href="part/{page}.html#equation-{key}"[^>]*>\({number}\)'
        assert re.search(rf'<span class="pre">{key}</span></code></strong> {link}', html["appendix"])


def test_boxes_are_numbered_by_chapter(html):
    titles = re.findall(r'<p class="counted-title"><strong>(.*?)</strong>', html["use"])
    numbers = {"Example": 4, "Flip": 1, "Ledger": 1, "Exercise": 2}
    assert titles == [f"{kind} 3.{at}." for kind, count in numbers.items() for at in range(1, count + 1)]
    assert re.findall(r"Fig\. (3\.\d)", plain(html["use"]))[:1] == ["3.1"]


def test_solutions_are_folded_and_listed_on_screen(html):
    assert html["use"].count('<details class="solution"><summary>Solution</summary>') == html["use"].count("</details>") == 2
    listed = re.findall(r'<li><p><a [^>]*href="use.html#(.*?)"[^>]*>(.*?)</a>(.*?)</p></li>', html["appendix"])
    answer = ask("kv-bytes @one in GB", CASES)
    assert [name for _, name, _ in listed] == ["Exercise 3.1", "Exercise 3.2"]
    assert all(f'id="{anchor}"' in html["use"] for anchor, _, _ in listed)
    assert plain(listed[0][2]) == f": {answer}"
    assert listed[1][2] == ""


@pytest.mark.parametrize("page", CHAPTERS)
def test_page_is_clean(html, page):
    found = Page(html[page])
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert sorted({i for i in ids if ids.count(i) > 1}) == []
    loads = [a.get("src") or a.get("href") for tag, a in found.tags if tag in ("script", "link", "img", "iframe", "source")]
    assert [url for url in loads if url and re.match(r"(\w+:)?//", url)] == []
    assert not re.search(r"url\((['\"]?)https?:|@import", html[page])
    inside = {a["href"][1:] for a in found.all("a") if a.get("href", "").startswith("#") and len(a["href"]) > 1}
    assert inside - set(ids) == set()


def test_every_figure_says_what_it_shows(html):
    pictures = re.findall(r"<svg\b[^>]*>.*?</svg>", html["use"], re.S)
    drawn = [svg for svg in pictures if 'role="img"' in svg]
    assert len(drawn) == 6
    for svg in drawn:
        name, description = re.search(r'aria-labelledby="(\S+) (\S+)"', svg).groups()
        assert re.search(rf'<title id="{name}">[^<]+</title>', svg)
        assert re.search(rf'<desc id="{description}">[^<]+</desc>', svg)


def test_tables_have_header_cells(html):
    tables = re.findall(r"<table.*?</table>", "".join(html[page] for page in CHAPTERS), re.S)
    assert len(tables) == 7  # ledger, symbols, three of devices, and the overviews of models and measurements
    assert [table[:80] for table in tables if "<thead>" not in table or "<th" not in table] == []


def test_worked_example_names_its_sources(html):
    start = html["use"].index("Example 3.1")
    inputs = plain(html["use"][start : html["use"].index("Example 3.2")])
    assert re.search(r"Inputs\..*Given: .*= 8\. NVIDIA H100 .*= 3\.35 TB/s \[\w+\].*Computed: .*= 139\.0 GB \([12]\.\d+\)", inputs, re.S)


def test_a_format_that_was_chosen_is_not_the_model_s(html):
    text = html["use"]
    inputs = plain(text[text.index("Example 3.4") : text.index("Flip 3.1")])
    assert re.search(r"Inputs\. Llama 3\.1 70B: .*= 70553706496 \[\w+\]\. Given: .*= 1 B\.", inputs, re.S)


def test_print_gathers_the_solutions(latex):
    _, tex = latex
    pages = re.findall(r"Solution: \}page~\\pageref\{(.*?)\}", tex)
    assert len(pages) == 2
    assert [tex.count(rf"\label{{{page}}}") for page in pages] == [1, 1]
    first = tex.index(r"\label{" + pages[0])
    assert first > max(tex.index(r"\pageref{" + page) for page in pages)
    assert "Like so" in tex[first:] and "Like so" not in tex[:first]
    assert "Exercise 3.1" in tex[first:] and r"\begin{bookbox}{exercise}" in tex


def test_print_draws_a_file_per_figure(latex):
    folder, tex = latex
    files = re.findall(r"\\sphinxincludegraphics\{(use-.*?\.pdf)\}", tex)
    assert len(files) == len(set(files)) == 6
    assert all((folder / file).read_bytes().startswith(b"%PDF") for file in files)
    assert tex.count(r"\label{equation:") >= len(KEYS) and not re.search(r"https?://\S*katex", tex)


def test_epub_has_pictures_and_open_solutions(book):
    app = book.build("epub")
    assert book.warnings(app) == []
    page = (app.outdir / "use.xhtml").read_text(encoding="utf-8")
    pictures = Page(page).all("img")
    assert len(pictures) == 6
    assert all(picture["alt"] and (app.outdir / picture["src"]).is_file() for picture in pictures)
    assert page.count('<div class="solution">') == 2
    assert "<details" not in page


def test_formula_page_says_what_the_formula_says(html):
    text = plain(html["part/one"] + html["part/two"])
    for key in ("kv-bytes", "largest-batch"):
        assert plain(formula(key).says.split("$")[0]) in text
