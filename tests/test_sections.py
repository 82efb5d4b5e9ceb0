"""Sections of the book that explanations name: those of the pages, and nothing else."""

import json
import runpy
import sys
import types

import pytest
from books import ROOT

from aiinfra import formulas, sections
from aiinfra.engine.formula import formula

PAGE = """# A page with `code`

```{formula} before-any-heading
```

## First

````md
```{formula} shown-not-declared
```
## Not a heading
````

```python
# not a title
```

### Deeper

```{formula} kept
```
"""


def test_headings_are_those_above_and_not_those_in_examples(tmp_path):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "_build").mkdir()
    (tmp_path / "_build" / "old.md").write_text("# Old\n```{formula} gone\n```\n", encoding="utf-8")
    assert sections.read(tmp_path) == {"before-any-heading": "A page with `code`", "kept": "A page with `code` § Deeper"}


@pytest.mark.parametrize("key", formulas.load())
def test_every_formula_stands_under_the_heading_that_is_named(key):
    title, _, heading = sections.section(key).partition(" § ")
    pages = [p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts]
    page = next(text for text in pages if f"{{formula}} {key}\n" in text and f"# {title}\n" in text)
    before = page[: page.index(f"{{formula}} {key}\n")]
    assert f"# {heading}\n" in before if heading else True


def test_explanations_name_them():
    node = formula("kv-bytes").explain(batch=1, context=1, n_layer=2, n_kv=3, d_head=4, b_kv=2)
    assert node.section == sections.section("kv-bytes") != ""
    assert str(node).endswith(f"kv-bytes-per-token: {sections.section('kv-bytes-per-token')}")
    assert node.parts[0].section == ""


def test_a_wheel_brings_them(monkeypatch):
    if not sections.TARGET.is_relative_to(ROOT / "src"):  # the tests run on an installed wheel
        assert json.loads(sections.TARGET.read_text(encoding="utf-8")) == sections.read(ROOT / "docs")
        return
    interface = types.ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = type("BuildHookInterface", (), {"root": str(ROOT)})
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    target = ROOT / "src/aiinfra/_sections.json"
    assert sections.TARGET == target and f"{target.relative_to(ROOT)}" in (ROOT / ".gitignore").read_text(encoding="utf-8")
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["NumericCode"]()
    build_data = {"artifacts": []}
    try:
        hook.initialize("standard", build_data)
        assert json.loads(target.read_text(encoding="utf-8")) == sections.read(ROOT / "docs")
    finally:
        target.unlink(missing_ok=True)
    assert build_data["artifacts"] == ["/src/aiinfra/engine/_numeric.py", "/src/aiinfra/_sections.json"]
