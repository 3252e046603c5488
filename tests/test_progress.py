"""Bars are callables of (done, total) that know where they are."""

import re
import sys

import pytest

from semirank import ProgressBar, compare, load
from semirank.progress import _Notebook


class Line:
    def __init__(self):
        self.shown = []

    def display(self, data, **options):
        assert options == {"raw": True, "display_id": True}
        self.shown.append(data)
        return self

    def update(self, data, raw):
        self.shown.append(data)


@pytest.fixture
def notebook(monkeypatch):
    line = Line()
    monkeypatch.setattr("semirank.progress._find_screen", lambda what: _Notebook(what, line.display))
    monkeypatch.setattr("semirank.progress.OFTEN", 0.0)
    return line.shown


def test_a_notebook_gets_one_line_that_is_written_anew(notebook):
    with ProgressBar("<b>") as bar:
        bar(0, None)
        bar(3, 12)
        bar(12, 12)
    assert [each["text/plain"].partition(",")[0] for each in notebook] == [
        "<b> 0",
        "<b> 3 of 12",
        "<b> 12 of 12",
    ]
    assert "<progress value=3 max=12" in notebook[1]["text/html"]
    assert "<b>" not in notebook[1]["text/html"]


def test_a_comparison_tells_how_far_it_is(notebook):
    compare(load("moons"), ["rankboost"], keep=4, n_repeats=2, budget=False, progress=ProgressBar())
    assert "2 of 2" in notebook[-1]["text/plain"]


@pytest.mark.parametrize("plain", [False, True])
def test_a_terminal_gets_a_bar_in_colour_unless_no_color_is_set(monkeypatch, capsys, plain):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    with ProgressBar("reading") as bar:
        bar(1, 2)
        bar(2, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "reading" in err
    assert bool(re.search(r"\x1b\[[0-9;]*[34][0-9]", err)) is not plain


def test_elsewhere_nothing_is_shown(capsys):
    for bar in (ProgressBar("reading"), ProgressBar(visible=False)):
        bar(1, 2)
        bar(2, 2)
    assert capsys.readouterr() == ("", "")
