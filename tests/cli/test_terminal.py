"""What a terminal shows at any width: whole words, whole columns, and which of them had no room."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank.cli.tables import table, wrapped

WORDS = st.text("abcdefgh-_", min_size=1, max_size=14)
PROSE = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def words_in(lines):
    return {word for line in lines for word in line.split()}


@given(st.lists(st.tuples(WORDS, PROSE, WORDS), min_size=1, max_size=5), st.integers(1, 150))
def test_no_word_is_broken_and_no_line_is_too_long(rows, width):
    named = [dict(zip(("first", "prose", "last"), row, strict=True)) for row in rows]
    lines, gone = table(("first", "prose", "last"), rows, width, least=("last",))
    known = {word for row in rows for cell in row for word in cell.split()} | {"first", "prose", "last"}
    assert words_in(lines) <= known
    shown = [name for name in ("first", "prose", "last") if name not in gone]
    assert shown[0] == "first"
    assert gone in ([], ["last"], ["prose", "last"])
    cells = {word for row in named for name in shown for word in row[name].split()}
    assert cells <= words_in(lines)
    if len(shown) > 1:
        assert max(map(len, lines)) <= width


@given(st.lists(st.tuples(WORDS, PROSE), min_size=1, max_size=5))
def test_without_a_width_every_cell_is_whole_on_its_line(rows):
    lines, gone = table(("a", "b"), rows, None)
    assert gone == []
    assert [line.split(maxsplit=1) for line in lines[1:]] == [[a, b] for a, b in rows]


def test_a_title_ends_at_a_word():
    rows = [("1", "Learning to rank with unlabelled documents in many lists")]
    lines, _ = table(("rank", "title"), rows, 40)
    assert lines[1] == "1     Learning to rank with unlabelled…"


@given(PROSE, st.integers(1, 60))
def test_messages_are_wrapped_between_words(text, width):
    assert wrapped(text, width).split() == text.split()


@pytest.fixture
def terminal(run, monkeypatch):
    def call(width, *arguments):
        monkeypatch.setenv("COLUMNS", str(width))
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda: True)
        code, out, err = run(*arguments)
        return code, STYLE.sub("", out), err

    return call


@pytest.mark.parametrize("command", [("rankers",), ("rankers", "auto-ranker"), ("datasets", "list")])
@pytest.mark.parametrize("width", [60, 120])
def test_lists_fit_and_break_no_word(terminal, run, command, width):
    code, out, err = terminal(width, *command)
    assert code == 0
    assert max(map(len, out.splitlines())) <= width
    assert "…" not in out
    _, wide, _ = terminal(width, *command, "--wide")
    assert words_in(out.splitlines()) <= words_in(wide.splitlines())
    assert ("--wide shows all" in " ".join(err.split())) == (
        len(wide.split("\n")[0].split()) > len(out.split("\n")[0].split())
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_help_breaks_no_word(width):
    env = os.environ | {"COLUMNS": str(width), "TERM": "dumb"}
    command = [sys.executable, "-m", "semirank", "compare", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout
    assert "irrelevant>" in text
    assert max(map(len, text.splitlines())) <= width
