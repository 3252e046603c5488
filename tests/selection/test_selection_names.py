"""The names of the room are found, and measuring scores imports no ranker."""

import subprocess
import sys

import pytest

from semirank import selection


def test_every_name_is_found():
    for name in selection.__all__:
        assert getattr(selection, name).__name__ == name
    assert set(selection._HOMES) == set(selection.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        selection.nothing  # noqa: B018


def test_measuring_imports_no_ranker():
    code = "import sys; from semirank.selection import evaluate; print('semirank.rankers' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
