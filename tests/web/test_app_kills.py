"""`kill -9` of the app: nothing acknowledged is lost (fuzz/app_kills.py; a thousand kills by hand)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize(("kills", "others"), [(2, 1), pytest.param(50, 50, marks=pytest.mark.slow)])
def test_killed_at_any_moment_nothing_acknowledged_is_lost(kills, others):
    command = [sys.executable, "-m", "fuzz.app_kills", "--kills", str(kills), "--others", str(others)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert found.returncode == 0, found.stdout + found.stderr
    assert re.findall(r"^(\w+): (\d+) kills", found.stdout, re.MULTILINE) == [
        ("work", str(kills)), *((name, str(others)) for name in ("making", "adding", "migration", "backup")),
    ]  # fmt: skip
