"""What every test may count on: the real data, when the folder is there."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("semirank", deadline=None)  # the first example may have to compile a loop
settings.load_profile("semirank")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if SHARED_DATA.is_dir():
    os.environ.setdefault("SEMIRANK_DATA", str(SHARED_DATA))


@pytest.fixture
def real_data() -> Path:
    """Give the folder of real data, or skip the test where there is none."""
    folder = os.environ.get("SEMIRANK_DATA")
    if not folder:
        pytest.skip("SEMIRANK_DATA is not set: no real data here")
    return Path(folder)
