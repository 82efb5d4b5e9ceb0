"""Puts the generated numeric code into the wheel, so that an installed package evaluates without SymPy."""

import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NumericCode(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return  # a checkout makes it on first use, and again when a formula changes
        sys.path.insert(0, str(Path(self.root, "src")))
        from aiinfra.engine import table

        table.table()
        if not table.TARGET.is_file():
            raise OSError(f"{table.TARGET} could not be written")
        build_data["artifacts"].append(f"/{table.TARGET.relative_to(self.root).as_posix()}")
