"""What several files of the project say must agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADDRESSES = PYPROJECT["tool"]["aiinfra"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_system_packages_are_those_of_read_the_docs():
    listed = (ROOT / "conf/system-packages.txt").read_text(encoding="utf-8").split()
    hosted = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    assert hosted["build"]["apt_packages"] == listed == sorted(set(listed))


def test_one_version():
    assert CITATION["version"] == PYPROJECT["project"]["version"]
    assert f"## {CITATION['version']} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("setting", "field"), [("repository", "repository-code"), ("site", "url")])
def test_citation_names_the_public_address_once_there_is_one(setting, field):
    assert CITATION.get(field, "") == ADDRESSES[setting]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(workflow):
    used = re.findall(r"uses: *(.*)", workflow.read_text(encoding="utf-8"))
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", action)] == []


@pytest.mark.parametrize("form", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem)
def test_issue_form_asks_for_something(form):
    content = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= content.keys()
    assert any(part.get("validations", {}).get("required") for part in content["body"])
