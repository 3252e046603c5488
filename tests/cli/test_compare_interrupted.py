"""Ctrl-C in the middle of ``semirank compare``: what is finished is kept, and nothing goes on running."""

import os
import signal
import subprocess
import sys
import time

import pytest

from semirank import Comparison


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_writes_the_report_and_resume_goes_on(tmp_path):
    report = tmp_path / "digits.json"
    command = [sys.executable, "-m", "semirank", "compare", "digits", "--no-budget", "-o", report]
    command += ["-r", "distance-ranking", "-r", "transductive-rankrls", "--jobs", "2"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    fits = tmp_path / "digits.json.fits.jsonl"
    while not (fits.exists() and len(fits.read_text().splitlines()) >= 7):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate()[1].decode()
    assert process.returncode == 130
    assert message.endswith("interrupted: the same command with --resume goes on\n")
    found = Comparison.from_json(report.read_text())
    assert not found.complete
    assert found.result("distance-ranking").status == "finished"
    again = subprocess.run([*command, "--resume"], capture_output=True, check=True)
    assert b"distance-ranking" in again.stdout
    complete = Comparison.from_json(report.read_text())
    assert complete.complete
    assert complete.result("distance-ranking").values == found.result("distance-ranking").values
