"""What stands below a page: how to cite it, where to report a wrong number, its source file and its last change.

All of it can be read without scripts; `notes.js` then cites a section too and puts the selected text into the report.
"""

import re
import subprocess
from pathlib import Path
from urllib.parse import urlencode

SPECIAL = re.compile(r"[&%$#_{}]")  # what TeX reads otherwise
LOG = ["-c", "core.quotePath=off", "log", "--relative", "--name-only", "--format=%x00%cs %D", "--", "."]


def last_changes(folder):
    """The date of the last commit that touched each file of a folder, by one call of git; nothing where git is not there.

    A shallow clone ends in commits that seem to add every file: what no later one touched has no date.
    """
    try:
        run = subprocess.run(["git", "-C", folder, *LOG], capture_output=True, encoding="utf-8", check=True, timeout=60)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return {}
    found = {}
    for commit in run.stdout.split("\0")[1:]:
        head, *files = commit.splitlines()
        date, _, names = head.partition(" ")
        for file in filter(None, files):
            found.setdefault(file, "" if "grafted" in names else date)
    return {file: date for file, date in found.items() if date}


def read_changes(app):
    app.builder.page_changes = last_changes(app.srcdir) if app.builder.format == "html" and app.builder.name != "epub" else {}


def citation(app, pagename, address, changed):
    """The pieces of a citation; `place` brings its comma, so that a page without a number has none."""
    title = app.env.titles[pagename].astext()
    number = app.env.toc_secnumbers.get(pagename, {}).get("")
    written = changed or app.config.copyright
    year = re.search(r"\d{4}", written)
    return {
        "author": app.config.author,
        "book": app.config.project,
        "version": app.config.release,
        "year": year[0] if year else "",
        "title": title,
        "tex": SPECIAL.sub(r"\\\g<0>", title),
        "place": f", chapter {'.'.join(map(str, number))}" if number else "",
        "address": address or "",
        "key": "aiinfra-" + pagename.replace("/", "-"),
    }


def add_notes(app, pagename, templatename, context, doctree):
    if doctree is None or templatename != "page.html" or app.builder.name == "epub":
        return None
    file = app.env.doc2path(pagename, base=False)
    changed = app.builder.page_changes.get(Path(file).as_posix(), "")
    source = f"{Path(app.srcdir).name}/{Path(file).as_posix()}"
    cite = citation(app, pagename, context.get("pageurl"), changed)
    context["notes"] = {"cite": cite, "source": source, "changed": changed}
    if repository := app.config.repository.rstrip("/"):
        where = f"{cite['title']}{cite['place']} ({source}), version {cite['version']}"
        context["notes"] |= {
            "source_link": f"{repository}/blob/main/{source}",
            "report": f"{repository}/issues/new?" + urlencode({"template": "wrong-number.yml", "where": where}),
        }
    return "noted-page.html"


def setup(app):
    app.add_config_value("repository", "", "html", str)
    app.connect("builder-inited", read_changes)
    app.connect("html-page-context", add_notes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
