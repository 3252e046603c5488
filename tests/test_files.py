"""Streams open by their ending, and output appears whole or not at all."""

import gzip
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from threading import Thread

import pytest

from semirank.files import most_bytes, name_of, open_input, open_output

ENDINGS = ["", ".gz", ".xz", ".bz2", ".zip"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"data.txt{ending}"
    with open_output(path) as stream:
        stream.write(b"one\ntwo\n")
    with open_input(path) as stream:
        assert stream.read() == b"one\ntwo\n"


@pytest.mark.parametrize("ending", ENDINGS)
def test_same_content_gives_same_bytes(tmp_path: Path, ending: str) -> None:
    written = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / f"data.txt{ending}"
        with open_output(path) as stream:
            stream.write(b"same")
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_bytes(b"old")

    def fail() -> None:
        with open_output(path) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".gz", ".xz", ".bz2", ".zip"])
@pytest.mark.parametrize("cut", [0.5, 0.0])
def test_a_damaged_file_is_named(tmp_path: Path, ending: str, cut: float) -> None:
    path = tmp_path / f"data.txt{ending}"
    with open_output(path) as stream:
        stream.write(bytes(range(256)) * 500)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut)] if cut else b"not compressed at all")
    with pytest.raises(ValueError, match=r"data\.txt.*damaged"), open_input(path) as stream:
        stream.read()


def test_zip_with_two_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "1")
        archive.writestr("b", "2")
    with pytest.raises(ValueError, match="holds 2 files"), open_input(path):
        pass


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match=r"nowhere\.txt: no such file"),
        open_input(tmp_path / "nowhere.txt"),
    ):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), open_input(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="does not exist"), open_output(tmp_path / "no" / "x.txt"):
        pass


def test_open_streams_pass_through() -> None:
    with open_input(io.BytesIO(b"abc")) as stream:
        assert stream.read() == b"abc"
    assert name_of("-") == "<stdin>"


needs_posix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and modes are those of POSIX")


@needs_posix
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_followed(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.csv", tmp_path / "link.csv"
    if exists:
        real.write_bytes(b"old")
    link.symlink_to(real)
    with open_output(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["elsewhere", "link.csv", "real.csv"]


@needs_posix
def test_the_name_that_was_given_decides_about_compression(tmp_path: Path) -> None:
    (tmp_path / "link.gz").symlink_to(tmp_path / "real")
    with open_output(tmp_path / "link.gz") as stream:
        stream.write(b"new")
    assert gzip.decompress((tmp_path / "real").read_bytes()) == b"new"


@needs_posix
def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    with open_output(pipe) as stream:
        stream.write(b"through")
    reader.join()
    assert found == [b"through"]
    assert pipe.is_fifo()


@needs_posix
def test_a_device_is_written_into() -> None:
    with open_output("/dev/null") as stream:
        stream.write(b"away")
    assert Path("/dev/null").is_char_device()


@needs_posix
@pytest.mark.parametrize("start", [">", ">>"])
def test_dev_stdout_goes_where_standard_output_goes(tmp_path: Path, start: str) -> None:
    code = "from semirank.files import open_output\nwith open_output('/dev/stdout') as s: s.write(b'new')"
    (tmp_path / "out").write_bytes(b"old ")
    subprocess.run(f'{sys.executable} -c "{code}" {start} {tmp_path / "out"}', shell=True, check=True)
    assert (tmp_path / "out").read_bytes() == (b"new" if start == ">" else b"old new")
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert piped.stdout == b"new"


@needs_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"old")
    path.chmod(mode)
    with open_output(path) as stream:
        stream.write(b"new")
        [part] = tmp_path.glob(".*.part")
        assert part.stat().st_mode & 0o777 == 0o600  # nobody else reads it before it is complete
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode


@needs_posix
def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with open_output(tmp_path / "new") as stream:
            stream.write(b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"), open_output(tmp_path):
        pass


def test_a_long_name_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    with open_output(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"


WRITES = """
import sys, time
from semirank.files import open_output
with open_output(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


@needs_posix
def test_what_killed_runs_have_left_is_removed_and_what_others_write_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scores[1].tsv"
    killed, alive = (
        subprocess.Popen([sys.executable, "-c", WRITES, path], stdout=subprocess.PIPE) for _ in range(2)
    )
    for each in (killed, alive):
        assert each.stdout.readline() == b"ready\n"
    killed.kill()
    killed.wait()
    (tmp_path / ".other.txt.abc.part").write_bytes(b"of another file")
    assert len(list(tmp_path.glob(".scores*.part"))) == 2
    with open_output(path) as stream:
        stream.write(b"new")
    assert len(list(tmp_path.glob(".scores*.part"))) == 1
    assert (tmp_path / ".other.txt.abc.part").exists()
    alive.kill()
    alive.wait()
    with open_output(path) as stream:
        stream.write(b"newer")
    assert {each.name for each in tmp_path.iterdir()} == {path.name, ".other.txt.abc.part"}
    assert path.read_bytes() == b"newer"
    for each in (killed, alive):
        each.stdout.close()


def test_many_may_write_one_file_at_a_time(tmp_path: Path) -> None:
    path, faults = tmp_path / "shared", []

    def write(number: int) -> None:
        try:
            for _ in range(50):
                with open_output(path) as stream:
                    stream.write(bytes([number]) * 1000)
        except BaseException as fault:
            faults.append(fault)

    writers = [Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert faults == []
    assert len(set(path.read_bytes())) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", [".gz", ".xz", ".bz2", ".zip"])
def test_a_packed_file_has_a_bound_that_the_user_can_raise(tmp_path: Path, monkeypatch, ending: str) -> None:
    path = tmp_path / f"long.txt{ending}"
    with open_output(path) as stream:
        stream.write(bytes(100_000))
    monkeypatch.setenv("SEMIRANK_MAX_BYTES", "99999")
    with (
        pytest.raises(ValueError, match=r"unpacks to more than 99999 bytes.*SEMIRANK_MAX_BYTES"),
        open_input(path) as stream,
    ):
        stream.read()
    monkeypatch.setenv("SEMIRANK_MAX_BYTES", "100000")
    with open_input(path) as stream:
        assert len(stream.read()) == 100_000
    monkeypatch.setenv("SEMIRANK_MAX_BYTES", "1e9")
    with pytest.raises(ValueError, match="whole number of bytes; got '1e9'"), open_input(path):
        pass


def test_the_bound_of_packed_files_follows_their_length(monkeypatch) -> None:
    monkeypatch.delenv("SEMIRANK_MAX_BYTES", raising=False)
    assert most_bytes(2_000_000) == 2**28
    assert most_bytes(10**9) == 10**11
