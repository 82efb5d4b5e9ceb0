"""The bibliography that formulas and catalogue cite from."""

import pytest

from aiinfra import errors, formats, sources


def test_titles_are_read_whole():
    assert sources.titles()["amdahl1967"].startswith("Validity of the single processor approach")
    assert all(title.strip() for title in sources.titles().values())


def test_a_key_stands_once(tmp_path, monkeypatch):
    for name in ("a.bib", "b.bib"):
        (tmp_path / name).write_text("@misc{one2020,\n  title = {{One} of {GPU}s},\n}\n")
    monkeypatch.setattr(sources, "folder", lambda: tmp_path)
    with pytest.raises(errors.DefinitionError, match="b.bib: the citation key 'one2020' is declared twice"):
        sources.titles.__wrapped__()
    (tmp_path / "b.bib").unlink()
    assert sources.titles.__wrapped__() == {"one2020": "One of GPUs"}


def test_an_unknown_key_lists_what_is_near():
    with pytest.raises(ValueError, match="here: unknown citation key 'amdahl1976'; near: amdahl1967"):
        sources.check(("amdahl1976",), "here")


@pytest.mark.parametrize("name", [None, 2, [], "bf17", "BF16"])
def test_an_unknown_format(name):
    with pytest.raises(KeyError, match="unknown format"):
        formats.bytes_of(name)


def test_what_an_error_shows_of_a_value_is_one_short_line():
    for value in ("a\nb", "x" * 500, 10**5000, list(range(10**4)), "\n".join("ab")):
        assert len(errors.brief(value)) <= 60
        assert "\n" not in errors.brief(value)
