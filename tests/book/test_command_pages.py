"""The command in the book: its lines are run, its files are kept, its mistakes are warnings at their line."""

import re

import pytest
from mistakes import d

from aiinfra.book.commands import chosen, execute, tables
from aiinfra.cli import COMMANDS
from aiinfra.scenario import Scenario

TOML = 'model = "llama-3.1-8b"\ndevice = "h100-sxm"'
PAGE = "# Page\n\n" + "\n\n".join(
    [
        d("command", body=TOML, file="one.toml"),
        d("command", body="aiinfra eval kv-bytes-per-token \\\n  --model llama-3.1-8b\naiinfra list devices h200"),
        d("command", body="aiinfra estimate --file one.toml", tables="memory"),
        d("command", body="aiinfra estimate --file one.toml --tp 3", exit="2"),
        d("command", body="aiinfra sweep --file one.toml --over batch=1,2 --result decode.bound --out a.csv\ncat a.csv"),
        "{value}`estimate decode.bound file=one.toml batch=2`, {value}`estimate decode.bound model=llama-3.1-8b device=h100-sxm`.",
        d("cli"), d("fields"), d("aliases"), d("assumptions"),
    ]
)  # fmt: skip


@pytest.fixture(scope="module")
def book(library):
    return library("commands", {"page": PAGE, "more": f"# More\n\n## Parts\n\n{d('schema')}\n\n## Results\n\n{d('results')}\n"})


@pytest.fixture(scope="module")
def html(book):
    app = book.build("html")
    assert book.warnings(app) == []
    return (app.outdir / "page.html").read_text(encoding="utf-8")


def plain(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


def test_each_line_has_a_block_of_its_own(html):
    commands = [plain(text).strip() for text in re.findall(r'<div class="command highlight-sh.*?<pre>(.*?)</pre>', html, re.S)]
    assert commands[0] == "aiinfra eval kv-bytes-per-token \\\n  --model llama-3.1-8b"
    assert len(commands) == 6 and all(text.startswith(("aiinfra ", "cat ")) for text in commands)
    printed = [plain(text) for text in re.findall(r'<div class="printed">.*?<pre>(.*?)</pre>', html, re.S)]
    assert len(printed) == 5  # the sweep prints nothing
    assert printed[0].startswith(text := "kv-bytes-per-token = 131.1 kB") and not any(text in line for line in commands)
    assert "h200-sxm" in printed[1]
    assert printed[3].startswith("aiinfra: scenario: tp = 3")
    assert "batch,decode.bound\n1," in printed[4]


def test_a_table_of_what_is_printed(html):
    assert "memory of one device" in html and "who waits" not in html


def test_a_result_of_a_deployment_is_that_of_python(html):
    one = Scenario(model="llama-3.1-8b", device="h100-sxm")
    for shown, batch in zip(re.findall(r'<span class="value" title="estimate[^>]*>(.*?)</span>', html), (2, 1), strict=True):
        expected = one.but(batch=batch).estimate()["decode.bound"]
        assert shown.replace("\u00a0", " ") == expected.text()


def test_every_command_is_described_with_its_example(html):
    for name in COMMANDS:
        section = html[html.index(f'id="aiinfra-{name}"') :]
        section = section[: section.index("</section>")]
        assert f"aiinfra {name}" in plain(section) and "$ " in plain(section) and "\b" not in section


def test_lines_too_long_for_print_are_set_smaller(library):
    page = "\n\n".join(d("command", body=line) for line in ("aiinfra show decode-step-bound", "aiinfra list devices"))
    book = library("print", {"a": f"# A\n\n{page}\n"})
    app = book.build("latex")
    [tex] = app.outdir.glob("*.tex")
    assert book.warnings(app) == []
    text = tex.read_text(encoding="utf-8")
    assert text.count(r"\begingroup\sphinxsetup{VerbatimColor") == text.count("\\endgroup\n") == 2


@pytest.mark.parametrize(
    ("directive", "line", "says"),
    [
        (d("command", body="aiinfra show nobody"), 3, "command: 'aiinfra show nobody' ends with exit code 2, not 0: aiinfra: unknown name"),
        (d("command", body="aiinfra list models", exit="1"), 3, "command: 'aiinfra list models' ends with exit code 0, not 1"),
        (d("command", body="rm -rf nothing"), 3, "command: 'rm -rf nothing': expected a line that begins with aiinfra"),
        (d("command", body="cat passwd"), 3, "command: 'cat passwd': expected a line that begins with aiinfra, or cat and"),
        (d("command"), 3, "command: the body is empty"),
        (d("command", body="x", file="../x"), 3, "command: file '../x': expected a plain name"),
        (d("command", body="aiinfra --version", lines="2-1"), 3, "command: lines '2-1': of 1 lines, in their order"),
        (d("command", body="aiinfra --version", lines="a"), 3, "command: lines 'a': expected numbers and ranges"),
        (d("command", body="aiinfra --version", tables="speed"), 3, "command: tables 'speed': nothing that is printed begins with 'speed'"),
        ("{value}`estimate decode.bound file=no.toml`", 3, "value: unknown file of the page 'no.toml'"),
        ("{value}`estimate model=llama-3.1-8b`", 3, "value: estimate: which result?"),
        ("{value}`estimate speed model=llama-3.1-8b device=h100-sxm`", 3, "value: unknown result 'speed'"),
    ],
)
def test_a_mistake_is_a_warning_at_its_line(library, directive, line, says):
    book = library("wrong", {"a": f"# A\n\n{directive}\n"})
    [(name, at, message)] = book.warnings(book.build("dummy"))
    assert (name, at) == ("a", line) and message.startswith(says)


def test_a_line_is_run_in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    kept = {"one.toml": TOML.encode()}
    code, _ = execute("aiinfra sweep --file one.toml --over batch=1,2 --result decode.bound --out a.csv", kept)
    assert code == 0 and kept.keys() == {"one.toml", "a.csv"} and list(tmp_path.iterdir()) == []
    code, text = execute("aiinfra --help", kept)
    assert code == 0 and "Numbers of large-language-model infrastructure: exact counts, bounds" in text


def test_parts_of_a_text():
    assert chosen("a\nb\nc", "") == "a\nb\nc" and chosen("a\nb\nc", "2") == "…\nb\n…"
    assert tables("a 1\n\nb 2\n\nc 3", "a, c") == "a 1\n\n…\n\nc 3"
