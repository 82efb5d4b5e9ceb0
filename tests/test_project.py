"""What several files of the project say must agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import aiinfra

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
    assert CITATION["version"] == PYPROJECT["project"]["version"] == aiinfra.__version__
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


def test_wheel_brings_the_generated_code_and_the_bibliography():
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"bib": "aiinfra/bib"}
    assert "custom" in wheel["hooks"] and (ROOT / "hatch_build.py").is_file()
    assert {r for r in PYPROJECT["project"]["dependencies"] if r.startswith("sympy")} <= set(PYPROJECT["build-system"]["requires"])


def test_no_file_names_a_package_registry():
    folders = [ROOT / name for name in (".ci", ".github", "bench", "bib", "conf", "src", "tests")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    files += [path for path in [*ROOT.glob("*"), *ROOT.glob("docs/[!_]*/*"), *ROOT.glob("docs/*.md")] if path.is_file()]
    hosts = re.compile(rb"py" rb"pi\.org|pythonhosted\.org|registry\.npm" rb"js|repo\.anaconda")
    assert [str(path.relative_to(ROOT)) for path in files if hosts.search(path.read_bytes())] == []
