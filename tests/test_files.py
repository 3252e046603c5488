"""Streams open by their ending, and output appears whole or not at all."""

import io
import zipfile
from pathlib import Path

import pytest

from semirank.files import name_of, open_input, open_output

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
