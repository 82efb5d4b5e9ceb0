"""Tiny books for the tests of the extension."""

import pytest
from books import ROOT, Book


@pytest.fixture(scope="session", autouse=True)
def book_extensions():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "conf/ext")
        yield


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Make books, in folders of their own."""
    return lambda name, chapters, **settings: Book(tmp_path_factory.mktemp(name), chapters, **settings)
