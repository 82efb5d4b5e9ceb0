"""What the book remembers across documents: where each formula stands, and every numbered box."""

from __future__ import annotations

from docutils import nodes
from sphinx.domains import Domain
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from aiinfra.book.counted import NAMES, number_of

logger = logging.getLogger(__name__)


class BookDomain(Domain):
    """Formulas by document, and boxes (examples, flips, exercises) by name."""

    name = "aiinfra"
    label = "AI Infra Book"
    initial_data = {"formulas": {}, "boxes": {}, "answers": {}}
    data_version = 2

    def note_formula(self, key: str, docname: str) -> None:
        self.data["formulas"].setdefault(key, [])
        if docname not in self.data["formulas"][key]:
            self.data["formulas"][key].append(docname)

    def note_box(self, kind: str, name: str, docname: str, number: int, anchor: str) -> None:
        self.data["boxes"][name] = (kind, docname, number, anchor)

    def note_answer(self, name: str, answer: list[nodes.Node]) -> None:
        self.data["answers"][name] = (self.env.docname, answer)

    def clear_doc(self, docname: str) -> None:
        for key, docs in list(self.data["formulas"].items()):
            self.data["formulas"][key] = [d for d in docs if d != docname]
        for store in ("boxes", "answers"):
            place = 1 if store == "boxes" else 0
            self.data[store] = {n: row for n, row in self.data[store].items() if row[place] != docname}

    def merge_domaindata(self, docnames, otherdata) -> None:
        for key, docs in otherdata["formulas"].items():
            for docname in docs:
                if docname in docnames:
                    self.note_formula(key, docname)
        for store, place in (("boxes", 1), ("answers", 0)):
            self.data[store] |= {n: row for n, row in otherdata[store].items() if row[place] in docnames}

    def formula_link(self, builder, fromdoc: str, key: str) -> nodes.Node | None:
        """A link to the first chapter that derives a formula, with its equation number."""
        docs = self.data["formulas"].get(key)
        if not docs:
            return None
        equations = self.env.get_domain("math")
        number = equations.equations.get(key, (docs[0], 0))[1]
        text = f"({number_of(self.env, docs[0], number)})"
        return make_refnode(builder, fromdoc, docs[0], nodes.make_id(f"equation-{key}"), nodes.Text(text))

    def box_link(self, builder, fromdoc: str, name: str) -> nodes.Node:
        kind, docname, number, anchor = self.data["boxes"][name]
        text = f"{NAMES[kind]} {number_of(self.env, docname, number)}"
        return make_refnode(builder, fromdoc, docname, anchor, nodes.Text(text))

    def resolve_any_xref(self, *args) -> list:
        return []
