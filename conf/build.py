"""Build the book: `python conf/build.py [--missing] [html] [zip] [epub] [pdf]`, all of them if none is named.

`zip` packs the HTML for reading without a network. Where TeX is missing, a build of all still makes the rest, says what to
install and succeeds; it fails if the PDF was asked for by name or if CI is set. The same holds for epubcheck.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from check_latex_log import check

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "_build"
NAME = "ai-infra-book"
MADE = {"html": "html/index.html", "zip": f"zip/{NAME}-html.zip"}
LEFT_OUT = {".buildinfo", ".buildinfo.bak", "404.html", "robots.txt", "sitemap.xml"}  # for servers and for the next build
STRICT = ["-n", "-W", "--keep-going", "-q", "-j", "auto"]
INSTALL = "sudo apt-get install " + " ".join((ROOT / "conf/system-packages.txt").read_text().split())


def sphinx(builder):
    paths = ["-c", ROOT / "conf", "-d", OUT / "doctrees", ROOT / "docs", OUT / builder]
    subprocess.run([sys.executable, "-m", "sphinx", *STRICT, "-b", builder, *paths], check=True)


def missing(what, programs, required):
    """Say in one line which programs are not here; stop if they are required."""
    absent = [program for program in programs if not shutil.which(program)]
    if absent:
        print(f"{what}: no {', '.join(absent)} on this machine. To install: {INSTALL}", file=sys.stderr)
        if required or os.environ.get("CI") == "true":
            sys.exit(1)
    return bool(absent)


def html(named):
    sphinx("html")
    return OUT / "html" / "index.html"


def packed(named):
    """The pages as one file; the same pages give the same bytes."""
    pages, archive = OUT / "html", OUT / MADE["zip"]
    if not (pages / "index.html").is_file():
        html(named)
    archive.parent.mkdir(exist_ok=True)
    archive.unlink(missing_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as found:
        for path in sorted(pages.rglob("*")):
            if path.is_file() and path.name not in LEFT_OUT:
                entry = zipfile.ZipInfo(f"{NAME}/{path.relative_to(pages)}")
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                found.writestr(entry, path.read_bytes())
    return archive


def epub(named):
    shutil.rmtree(OUT / "epub", ignore_errors=True)  # Sphinx packs whatever lies there
    sphinx("epub")
    book = OUT / "epub" / f"{NAME}.epub"
    if not missing("EPUB built but not checked", ["epubcheck", "java"], required=False):
        # Debian's epubcheck is a bare jar, which not every kernel starts by itself.
        checker = Path(shutil.which("epubcheck")).resolve()
        command = ["java", "-jar", checker] if checker.suffix == ".jar" else [checker]
        subprocess.run([*command, "--failonwarnings", "--quiet", book], check=True)
    return book


def pdf(named):
    if missing("PDF left out", ["latexmk", "xelatex", "makeindex"], required=named):
        return None
    sphinx("latex")
    folder, book = OUT / "latex", OUT / "pdf" / f"{NAME}.pdf"
    command = ["latexmk", "-xelatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", f"{NAME}.tex"]
    unwrapped = os.environ | {"max_print_line": "1000"}  # whole lines in the log
    run = subprocess.run(command, cwd=folder, env=unwrapped, capture_output=True, text=True, errors="replace")
    if run.returncode:
        output = run.stdout.splitlines()
        error = next((at for at, line in enumerate(output) if re.match(r"!|\S+:\d+: ", line)), -30)
        sys.exit("\n".join(["LaTeX stopped:", *output[error:][:30]]))
    if count := check(folder / f"{NAME}.log"):
        sys.exit(f"PDF: {count} problems in the LaTeX log")
    book.parent.mkdir(exist_ok=True)
    shutil.copy(folder / book.name, book)
    return book


def main(names):
    formats = {"html": html, "zip": packed, "epub": epub, "pdf": pdf}
    if "--missing" in names:  # what is there is taken as it is
        names = [name for name in names if name in MADE and not (OUT / MADE[name]).is_file()]
        if not names:
            return
    if unknown := [name for name in names if name not in formats]:
        sys.exit(f"unknown format {unknown[0]!r}: use {', '.join(formats)}")
    for name in names or formats:
        if made := formats[name](named=bool(names)):
            print(f"{name}: {made.relative_to(ROOT)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
