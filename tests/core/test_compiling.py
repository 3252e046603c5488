"""Compiled loops run where nothing can be written beside them, nor in the user's home."""

import os
import subprocess
import sys
import tempfile

import pytest

from semirank.core.compiling import CompilingWarning, temporary_folder

BINS = """
import sys, tempfile, warnings
from pathlib import Path

open_file, writable = tempfile.TemporaryFile, sys.argv[1]

def refuse(*args, dir=None, **options):
    if not writable or not str(dir).startswith(writable):
        raise PermissionError(f"{dir} cannot be written")
    return open_file(*args, dir=dir, **options)

tempfile.TemporaryFile = refuse  # which is how numba finds out
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import numpy as np
    from numba import config
    from semirank.core.binning import bin_values
    bins = np.empty(3, np.uint8)
    bin_values(np.array([1.0, 3.0, 2.0]), np.array([1.5, 2.5]), bins)
    assert bins.tolist() == [0, 2, 1]
assert not config.CACHE_DIR
print(len(told), *{each.category.__name__ for each in told})
"""


def run(tmp_path, writable: str = "") -> str:
    settings = {"TMPDIR": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", BINS, writable], env=os.environ | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
def test_code_is_kept_in_a_temporary_folder_of_the_user(tmp_path):
    assert run(tmp_path, str(tmp_path)) == "0"
    folder = tmp_path / f"semirank-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbi"))


def test_where_nothing_can_be_written_loops_run_all_the_same_with_one_warning(tmp_path):
    assert run(tmp_path) == "1 CompilingWarning"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
@pytest.mark.parametrize("kind", ["open to all", "link"])
def test_a_folder_that_others_could_write_to_is_not_used(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"semirank-{os.getuid()}"
    if kind == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.warns(CompilingWarning, match="Set NUMBA_CACHE_DIR"):
        assert temporary_folder.__wrapped__() is None
