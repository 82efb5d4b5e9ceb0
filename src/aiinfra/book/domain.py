"""What the book remembers across documents: every numbered box, every answer, and who shows them."""

from __future__ import annotations

from docutils import nodes
from sphinx.builders.latex.nodes import math_reference
from sphinx.domains import Domain, ObjType
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from aiinfra.book.counted import NAMES, number_of
from aiinfra.engine.table import table
from aiinfra.errors import BadValue

logger = logging.getLogger(__name__)


def declared_twice(name: str, first: tuple) -> str:
    """The message for a second box of a name."""
    return f"{name!r} is declared twice, first as {first[1]} in {first[0]}"


class BookDomain(Domain):
    """Boxes (examples, flips, exercises) and answers by name, and the documents that show what others hold."""

    name = "aiinfra"
    label = "AI Infra Book"
    initial_data = {"boxes": {}, "answers": {}, "gatherers": set(), "notation": ""}
    data_version = 4
    object_types = {"formula": ObjType("formula"), "symbol": ObjType("symbol")}
    changed = False  # whether this build read or removed a document

    def note_box(self, kind: str, name: str, docname: str, number: int, anchor: str) -> None:
        for other, row in self.data["boxes"].items():
            if name == other or (docname, anchor) == (row[0], row[3]):
                raise BadValue(declared_twice(name, row))
        self.data["boxes"][name] = (docname, kind, number, anchor)

    def note_answer(self, name: str, answer: list[nodes.Node]) -> None:
        if name in self.data["answers"]:
            raise BadValue(f"exercise {name!r} has a solution already")
        self.data["answers"][name] = (self.env.docname, answer)

    def note_gatherer(self, docname: str) -> None:
        self.data["gatherers"].add(docname)

    def clear_doc(self, docname: str) -> None:
        self.changed = True
        self.data["gatherers"].discard(docname)
        if self.data["notation"] == docname:
            self.data["notation"] = ""
        for store in ("boxes", "answers"):
            self.data[store] = {n: row for n, row in self.data[store].items() if row[0] != docname}

    def merge_domaindata(self, docnames, otherdata) -> None:
        self.data["gatherers"] |= otherdata["gatherers"] & set(docnames)
        if otherdata["notation"] in docnames:
            self.data["notation"] = otherdata["notation"]
        for store in ("boxes", "answers"):
            new = {n: row for n, row in otherdata[store].items() if row[0] in docnames}
            for name in sorted(new.keys() & self.data["boxes"].keys()) if store == "boxes" else ():
                message = declared_twice(name, self.data["boxes"][name])
                logger.warning("%s: %s", new[name][1], message, location=new[name][0], type="aiinfra", subtype=new[name][1])
            self.data[store] |= new

    def get_objects(self):
        """Formulas and symbols for the search: found by key or name, and by the words of what they mean."""
        known = table()
        for key, (docname, _) in self.env.get_domain("math").equations.items():
            if key in known.records:
                left = known.symbols[known.records[key].symbol].meaning
                yield key, f"{key}: {left}", "formula", docname, nodes.make_id(f"equation-{key}"), 0
        if self.data["notation"]:
            for s in known.symbols.values():
                anchor = f"notation-{s.name.replace('_', '-').lower()}"
                yield s.name, f"{s.name}: {s.meaning}", "symbol", self.data["notation"], anchor, 0

    def exercises(self) -> list[str]:
        """Names of all exercises, in the order of the book."""
        numbers = self.env.toc_secnumbers
        found = {n: row for n, row in self.data["boxes"].items() if row[1] == "exercise"}
        return sorted(found, key=lambda n: (numbers.get(found[n][0], {}).get("") or (), found[n][0], found[n][2]))

    def formula_link(self, builder, fromdoc: str, key: str) -> nodes.Node | None:
        """A link to where a chapter shows a formula, with its equation number."""
        domain = self.env.get_domain("math")
        if builder.format == "latex" and key in domain.equations:
            return math_reference("", docname=domain.equations[key][0], target=key)
        return domain.resolve_xref(self.env, fromdoc, builder, "eq", key, None, None)

    def box_link(self, builder, fromdoc: str, name: str) -> nodes.Node:
        docname, kind, number, anchor = self.data["boxes"][name]
        text = f"{NAMES[kind]} {number_of(self.env, kind, docname, number)}"
        return make_refnode(builder, fromdoc, docname, anchor, nodes.Text(text))

    def resolve_any_xref(self, *args) -> list:
        return []
