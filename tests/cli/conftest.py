"""The command line, run in this process."""

import sys

import pytest

from semirank.cli import main


@pytest.fixture
def run(monkeypatch, capsysbinary):
    """Run a command in this process; return exit code, standard output and standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["semirank", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call
