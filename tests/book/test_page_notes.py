"""What stands below a page."""

import os
import shutil
import subprocess

import pytest
import yaml
from books import ROOT

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


def git(folder, *words, date="2031-01-01"):
    stamp = f"{date}T12:00:00+0000"
    who = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = os.environ | who | {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", folder, *words], env=env, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Three commits: both files, then the second, then one outside the folder."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    (folder / "docs/part").mkdir(parents=True)
    steps = {"2031-01-01": ("docs/one.md", "docs/part/zwei ö.md"), "2031-02-02": ("docs/part/zwei ö.md",), "2031-03-03": ("README.md",)}
    for date, names in steps.items():
        for name in names:
            (folder / name).write_text(date, encoding="utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", date, date=date)
    return folder


@needs_git
def test_each_file_has_the_date_of_its_last_commit(repository):
    from page_notes import last_changes

    assert last_changes(repository / "docs") == {"one.md": "2031-01-01", "part/zwei ö.md": "2031-02-02"}


@needs_git
def test_a_shallow_clone_gives_no_date_that_it_cannot_know(repository, tmp_path):
    from page_notes import last_changes

    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repository}", "clone")
    assert last_changes(tmp_path / "clone/docs") == {}  # the commit it ends in seems to add both files
    git(tmp_path / "clone", "fetch", "-q", "--unshallow")
    assert last_changes(tmp_path / "clone/docs")["one.md"] == "2031-01-01"


@needs_git
def test_without_git_there_are_no_dates(tmp_path, monkeypatch):
    from page_notes import last_changes

    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert last_changes(tmp_path) == {}
    monkeypatch.setenv("PATH", "")
    assert last_changes(tmp_path) == {}


def test_the_form_for_wrong_numbers_has_the_fields_that_pages_fill():
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/wrong-number.yml").read_text(encoding="utf-8"))
    assert {"where", "printed"} < {field["id"] for field in form["body"]}
