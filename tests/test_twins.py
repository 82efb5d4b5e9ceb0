"""Pages as Markdown, and what else is published beside them: held against the HTML of the same build."""

import re
import shutil
import zipfile
from html import unescape
from xml.etree import ElementTree

import pytest
from books import ROOT, Book

CHAPTERS = {
    "one": """# One *question*

How much does one model of 70B take? The weights: {value}`weight-bytes model=llama-3.1-70b in GB`, which costs $5 in a_b. A third sentence.

## Formulas

```{formula} weight-bytes
```

```{derivation} weight-bytes
```

```{worked} weight-bytes model=llama-3.1-70b in GB
:title: Its weights
Two bytes each.
```

| what | $\\|x\\|$ and bytes |
|---|---|
| weights, `a\\|b` | {value}`weight-bytes model=llama-3.1-8b in GB` |

```{exercise} ex-one
How much in FP8?
```

```{solution} ex-one
:answer: weight-bytes model=llama-3.1-70b weights=fp8 in GB
Half: see {eq}`weight-bytes` and {ref}`formulas-two`.
```
""",
    "deep/two": """# Two

(formulas-two)=
## Of the second

By {eq}`weight-bytes` of {doc}`../one` {cite}`williams2009roofline`, and {numref}`fig-two`.

```{plot} fig-two
title: Weights
caption: Bytes of the weights
x: {symbol: n_param, from: 1.0e+9, to: 1.0e+11, log: true}
y: {label: bytes}
series:
- {label: BF16, y: weight-bytes b_w="2 B"}
```
""",
}
BOOKISH = ["katex_math", "part_numbers", "accessible", "theme_files", "published", "citation_labels", "aiinfra.book"]
EXTENSIONS = ["myst_parser", "sphinxcontrib.bibtex", *BOOKISH]
SITE = "https://book.example/en"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "conf/ext")
        folder = tmp_path_factory.mktemp("twins")
        looks = {"html_theme": "furo", "bibtex_default_style": "author_year", "templates_path": [str(ROOT / "conf/templates")]}
        looks["html_static_path"] = [str(ROOT / "conf/static")]
        looks |= {"extensions": EXTENSIONS, "project": "A Book", "subtitle": "On bytes", "html_baseurl": SITE}
        app = Book(folder, CHAPTERS, **looks).build("html")
        assert app.warning.getvalue() == ""
        yield app.outdir


def page(built, name):
    return built.joinpath(f"{name}.html").read_text(encoding="utf-8")


def twin(built, name):
    return built.joinpath(f"{name}.md").read_text(encoding="utf-8")


def text(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def without_code(markdown):
    return re.sub(r"```.*?```|`[^`\n]*`", "", markdown, flags=re.DOTALL)


def test_values_on_the_page_stand_in_the_twin(built):
    for name in ("one", "deep/two"):
        values = [text(found) for found in re.findall(r'<span class="value"[^>]*>(.*?)</span>', page(built, name))]
        assert values or name != "one"
        found = " ".join(twin(built, name).split())
        for value in values:
            assert value in found
    assert "The weights: 141 GB" in " ".join(twin(built, "one").split())  # 70,553,706,496 parameters of two bytes


def test_each_equation_has_its_number_and_key(built):
    numbers = [text(found) for found in re.findall(r'<span class="eqno">(\([\d.]+\))', page(built, "one"))]
    assert numbers == ["(1.1)"]
    assert "$$\nW = N\\,b_\\mathrm{w}\n$$\n\n(1.1) `weight-bytes`\n" in twin(built, "one")


@pytest.mark.parametrize("name", ["index", "one", "deep/two"])
def test_nothing_is_left_to_resolve(built, name):
    rest = without_code(twin(built, name))
    assert not re.search(r"\{[a-z]+\}`|^:::|^```\{|\{\{|:[a-z]+:`", rest, re.MULTILINE)
    assert ".html" not in rest


def test_references_lead_to_other_twins(built):
    second = twin(built, "deep/two")
    assert "By [(1.1)](../one.md#equation-weight-bytes) of [One question](../one.md)" in second
    assert re.search(r" \[\[Williams et al\., 2009\]\(\.\./index\.md#id\d+\)\], and Fig\. 2\.1\.", second)
    assert "\n\nFig. 2.1. Bytes of the weights\n" in second
    assert "see (1.1) and [Of the second](deep/two.md#formulas-two)" in twin(built, "one")


def test_text_keeps_its_meaning_in_markdown(built):
    first = twin(built, "one").replace("\N{NO-BREAK SPACE}", " ")
    assert r"which costs \$5 in a_b." in first
    assert r"| what | $\vert x\vert $ and bytes |" in first  # a bare stroke would end the cell
    assert r"| weights, `a\|b` | 16.1 GB |" in first


def test_list_of_twins_has_the_form_of_llmstxt(built):
    lines = built.joinpath("llms.txt").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["# A Book", "", lines[2]] and lines[2].startswith("> On bytes")
    links = dict(re.findall(r"^- \[(.*?)\]\((.*?)\)", "\n".join(lines), re.MULTILINE))
    assert links == {"1. One question": f"{SITE}/one.md", "2. Two": f"{SITE}/deep/two.md"}
    whole = built.joinpath("llms-full.txt").read_text(encoding="utf-8")
    assert whole.index("# 1. One *question*") < whole.index("# 2. Two")


def test_the_head_says_what_a_page_is_about(built):
    head = page(built, "one").split("</head>")[0]
    facts = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', head))
    assert facts["description"].startswith("How much does one model of 70B take? The weights: 141")
    assert facts["og:description"] == facts["description"] and facts["og:title"] == "1. One question"
    assert (facts["og:site_name"], facts["og:url"], facts["og:image"]) == ("A Book", f"{SITE}/one.html", f"{SITE}/_static/cards/one.png")
    assert 'rel="alternate" type="text/markdown" href="one.md"' in head
    card = built.joinpath("_static/cards/one.png").read_bytes()
    assert card[:8] == b"\x89PNG\r\n\x1a\n" and [int.from_bytes(card[at : at + 4], "big") for at in (16, 20)] == [1200, 630]


def test_the_site_has_a_map(built):
    addresses = [node.text for node in ElementTree.parse(built / "sitemap.xml").iter() if node.tag.endswith("loc")]
    assert addresses == [f"{SITE}/{name}.html" for name in ("index", "one", "deep/two")]
    assert f"Sitemap: {SITE}/sitemap.xml" in built.joinpath("robots.txt").read_text(encoding="utf-8")


def test_a_missing_page_names_everything_from_the_root(built):
    html = page(built, "404")
    addresses = re.findall(r'(?:href|src|action|data-content_root)="([^"]*)"', html)
    assert [a for a in addresses if not a.startswith(("/en/", "#", "https://"))] == []
    assert 'action="/en/search.html"' in html and 'href="/en/deep/two.html"' in html and 'data-content_root="/en/"' in html
    assert not (built / "404.md").exists()


def test_no_page_has_a_script_or_style_of_its_own(built):
    for path in built.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        assert not re.findall(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\son[a-z]+=\"", html), path.name


def test_the_zip_is_the_same_for_the_same_pages(built, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "conf")
    import build

    shutil.copytree(built, tmp_path / "html")
    monkeypatch.setattr(build, "OUT", tmp_path)
    first = build.packed(named=True).read_bytes()
    for path in tmp_path.rglob("html/*.html"):
        path.touch()
    assert build.packed(named=True).read_bytes() == first
    names = zipfile.ZipFile(tmp_path / build.MADE["zip"]).namelist()
    assert {"ai-infra-book/index.html", "ai-infra-book/deep/two.md", "ai-infra-book/_static/theme.js"} <= set(names)
    assert "ai-infra-book/404.html" not in names
