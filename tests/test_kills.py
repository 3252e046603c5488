"""A killed command leaves the old file or the whole new one; ``python -m fuzz.kills`` kills more often."""

import os

import pytest
from fuzz.kills import kill_often


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="commands run in forks")
def test_a_killed_command_leaves_the_old_file_or_the_whole_new_one(tmp_path):
    found = kill_often(tmp_path, 40)
    assert all(states["old"] + states["new"] == 8 for states in found.values())
    assert {state for states in found.values() for state in states if states[state]} >= {"old", "new"}
