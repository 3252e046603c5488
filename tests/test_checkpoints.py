import json
import subprocess
import sys

import pytest

from semirank.checkpoints import Checkpoint, CheckpointInUseError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "finished.jsonl"


def test_what_is_added_is_in_the_file_at_once_and_found_again(path):
    with Checkpoint(path) as finished:
        finished.add("a", {"score": 0.1})
        finished.add("b", None)
        assert path.read_text() == '["a", {"score": 0.1}]\n["b", null]\n'
        assert finished["a"] == {"score": 0.1}
        assert "b" in finished
        assert "c" not in finished
    with Checkpoint(path) as again:
        assert dict(again) == {"a": {"score": 0.1}, "b": None}


@pytest.mark.parametrize("torn", ['["c", {"sc', '{"other": 1}', "17", "[1, 2]", "\udc80"])
def test_a_torn_or_foreign_line_is_ignored_and_spoils_no_other(path, torn):
    with Checkpoint(path) as finished:
        finished.add("a", 1)
    with path.open("ab") as stream:
        stream.write(torn.encode("utf-8", "surrogateescape"))
    with Checkpoint(path) as finished:
        assert dict(finished) == {"a": 1}
        finished.add("b", 2)
    with Checkpoint(path) as finished:
        assert dict(finished) == {"a": 1, "b": 2}


def test_the_last_value_of_a_key_counts(path):
    path.write_text("".join(json.dumps(["a", value]) + "\n" for value in (1, 2)))
    with Checkpoint(path) as finished:
        assert finished["a"] == 2


def test_two_runs_cannot_have_one_file(path):
    with Checkpoint(path) as finished:
        with pytest.raises(CheckpointInUseError, match=r"finished\.jsonl: another run .* another file"):
            Checkpoint(path).__enter__()
        finished.add("a", 1)
    with Checkpoint(path) as again:
        assert again["a"] == 1


def test_two_processes_cannot_have_one_file(path):
    code = f"from semirank.checkpoints import Checkpoint\nwith Checkpoint({str(path)!r}): pass"
    with Checkpoint(path):
        refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "CheckpointInUseError" in refused.stderr
    subprocess.run([sys.executable, "-c", code], check=True)


def test_clear_begins_anew(path):
    with Checkpoint(path) as finished:
        finished.add("a", 1)
        finished.clear()
        finished.add("b", 2)
    with Checkpoint(path) as again:
        assert dict(again) == {"b": 2}


def test_discard_removes_the_file_unless_another_run_has_it(path):
    finished = Checkpoint(path)
    with finished:
        finished.add("a", 1)
    with Checkpoint(path) as other:
        finished.discard()
        assert path.exists()
        assert other["a"] == 1
    finished.discard()
    finished.discard()
    assert not path.exists()
    assert len(finished) == 0


def test_without_a_path_nothing_is_kept(tmp_path):
    with Checkpoint() as finished:
        finished.add("a", 1)
        assert finished["a"] == 1
    finished.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_json_cannot_spell_is_not_half_written(path):
    with Checkpoint(path) as finished:
        with pytest.raises(TypeError):
            finished.add("a", object())
        assert dict(finished) == {}
    assert path.read_text() == ""
