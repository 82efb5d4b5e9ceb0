"""The built book in headless Chromium; `tox -e browser` runs these after `tox -e docs`."""

import functools
import os
import runpy
import shutil
import sys
import threading
from contextlib import ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from books import ROOT, Book

BOOK = ROOT / "docs/_build/html"
SHOTS = ROOT / "docs/_build/screenshots"
# Equations are typeset with style attributes; scripts have no exception.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'"
)

if not os.environ.get("BROWSER"):
    collect_ignore_glob = ["test_*.py"]  # tox -e browser asks for them
else:
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT / "conf/ext"))


class Handler(SimpleHTTPRequestHandler):
    """Files under a strict content security policy; a page that is not there is the book's own 404."""

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *args):
        pass


@contextmanager
def served(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        flags = [
            "--no-sandbox",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]
        own = os.path.isfile(playwright.chromium.executable_path)
        assert path or own, "no browser on this machine: install Chromium, as conf/setup.sh does"
        found = playwright.chromium.launch(executable_path=path, args=flags)
        yield found
        found.close()


@pytest.fixture(scope="session")
def book():
    """The address of the whole book, which must have been built."""
    assert (BOOK / "index.html").is_file(), "build the book first: tox -e html"
    with served(BOOK) as address:
        yield address


LOOKS = ("extensions", "bibtex_default_style", "bibtex_reference_style", "html_theme", "html_css_files", "html_sidebars")


def looks():
    """The settings of the book that decide how a page looks."""
    conf = runpy.run_path(str(ROOT / "conf/conf.py"))
    folders = {name: [str(ROOT / "conf" / folder) for folder in conf[name]] for name in ("html_static_path", "templates_path")}
    return {name: conf[name] for name in LOOKS} | folders | {"html_favicon": str(ROOT / "conf" / conf["html_favicon"])}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The address of a small book with the real theme, scripts and styles: ``tiny(name, {"one": "# One …"})``."""
    with ExitStack() as stack:

        def make(name, chapters, **settings):
            settings = looks() | settings
            made = Book(tmp_path_factory.mktemp(name), chapters, **settings)
            app = made.build("html")
            assert not made.warnings(app), made.warnings(app)
            return stack.enter_context(served(app.outdir))

        yield make


@pytest.fixture
def open_page(browser):
    """Open an address; what goes wrong on the page, or leaves for another host, fails the test."""
    wrong, contexts = [], []

    def open_(address, *, width=1280, height=900, scheme="light", scripts=True, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=scripts, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: wrong.append(f"console: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: wrong.append(f"error: {e}"))
        here = address.split("/")[2]
        page.on(
            "request",
            lambda r: wrong.append(f"request to {r.url}") if r.url.split("/")[2] != here and r.url[:5] not in ("data:", "blob:") else None,
        )
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not wrong, wrong[:5]
