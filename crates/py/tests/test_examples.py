"""Examples and the code of the guide run as they are printed."""

import doctest
import pathlib
import re
import subprocess
import sys

import anthropi
import pytest
from conftest import ROOT

EXAMPLES = sorted((ROOT / "crates/py/examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    if "ray" in example.stem:
        pytest.importorskip("ray")
    got = subprocess.run([sys.executable, example], capture_output=True, text=True, cwd=tmp_path)
    assert got.returncode == 0, got.stderr
    print(got.stdout)


def blocks(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.S)


PAGES = [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if blocks(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_code_of_the_book_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)


def test_the_guides_are_among_the_pages():
    assert {"README", "python", "errata"} <= {p.stem for p in PAGES}


def test_docstrings():
    assert doctest.testmod(anthropi).failed == 0
    missing = []
    for name in anthropi.__all__:
        thing = getattr(anthropi, name)
        members = [thing, *(m for n, m in vars(thing).items() if not n.startswith("_"))] if isinstance(thing, type) else [thing]
        missing += [f"{name}: {m}" for m in members if not getattr(m, "__doc__", None)]
    # a class variable of Python has no docstring of its own
    assert [m for m in missing if "errors" not in m] == []
    assert "M(q) a + h(q, v)" in anthropi.Figure.inverse_dynamics.__doc__
    assert isinstance(pathlib.Path(anthropi.__file__).with_name("py.typed").exists(), bool)
