"""Puts the generated numeric code and the sections of the book into the wheel: an installed package needs neither SymPy nor docs."""

import json
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NumericCode(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return  # a checkout makes it on first use, and again when a formula changes
        sys.path.insert(0, str(Path(self.root, "src")))
        from aiinfra import sections
        from aiinfra.engine import table

        table.table()
        if not table.TARGET.is_file():
            raise OSError(f"{table.TARGET} could not be written")
        sections.TARGET.write_text(json.dumps(sections.read(sections.DOCS), indent=0, sort_keys=True), encoding="utf-8")
        build_data["artifacts"] += [f"/{target.relative_to(self.root).as_posix()}" for target in (table.TARGET, sections.TARGET)]
