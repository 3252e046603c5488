"""Checkpoint files and results as JSON, beside Python's json line by line."""

import json
import os
import tempfile
from pathlib import Path

from semirank.checkpoints import Checkpoint
from semirank.results.result import Interval
from semirank.selection.benchmark import Fit

INSTRUMENTED = ("semirank.checkpoints", "semirank.results")
SEEDS = [
    b'["one", 1]\n["two", {"a": [1, 2.5, null]}]\n',
    b'["cut", {"a": 1}]\n["cut o',
    b'{"low": 0.25, "high": 0.5}',
    b'["f", {"values": [0.5], "fit_seconds": 1.0}]\n\xff\n',
]


FOLDER = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
PLACE = Path(FOLDER.name) / "finished.jsonl"


def check(data: bytes) -> None:
    """Read bytes as a checkpoint, and every line of it as a record."""
    PLACE.write_bytes(data)
    with Checkpoint(PLACE) as finished:
        found = dict(finished)
        finished.add("last", 1)
    assert _spelled(found) == _spelled(plain(data))
    with Checkpoint(PLACE) as finished:
        assert _spelled(dict(finished)) == _spelled(found | {"last": 1})
    for text in (data, *data.splitlines()[:3]):
        for kind in (Interval, Fit):
            try:
                again = kind.from_json(text)
            except ValueError:
                continue
            assert kind.from_json(again.to_json()) == again


def plain(data: bytes) -> dict[str, object]:
    """Read line by line what json takes for a list of a text and something."""
    found = {}
    for line in data.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        pair = list(entry) if isinstance(entry, (list, str, dict)) else []
        if len(pair) == 2 and isinstance(pair[0], str):
            found[pair[0]] = pair[1]
    return found


def _spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True)
