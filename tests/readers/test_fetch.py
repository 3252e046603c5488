"""Downloads against a server on this machine: whole, broken, changed, refused."""

import gzip
import hashlib
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from semirank.files import usual_mode
from semirank.readers.fetch import RemoteFile, cache_folder, download, find, locate, trust

CONTENT = random.Random(0).randbytes(400_000)
OTHER = random.Random(1).randbytes(400_000)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Server(ThreadingHTTPServer):
    """A web server with one file and adjustable manners; it remembers the headers of each request."""

    content = CONTENT
    break_after: int | None = None
    status = 200
    moved_to: str | None = None
    says_length = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/file.bin"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        server = self.server
        server.requests.append(dict(self.headers))
        if server.moved_to is not None and self.path == "/file.bin":
            self.answer(302, {"Location": server.moved_to}, b"")
        elif server.status != 200:
            self.answer(server.status, {}, b"no")
        else:
            self.answer(200, {}, server.content)

    def answer(self, status: int, headers: dict[str, Any], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.server.says_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.break_after])


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "file.bin"


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_whole_file_arrives_with_progress_and_hash(server: Server, target: Path) -> None:
    steps: list[tuple[int, int | None]] = []
    download(server.url, target, sha256(CONTENT), lambda *step: steps.append(step))
    assert target.read_bytes() == CONTENT
    assert left_in(target.parent) == ["file.bin"]
    assert target.stat().st_mode & 0o777 == usual_mode()
    done = [step[0] for step in steps]
    assert done == sorted(done)
    assert len(done) > 1
    assert steps[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize("after", [1, 12_345, 399_999])
def test_a_broken_download_leaves_nothing_and_the_next_is_whole(
    server: Server, target: Path, after: int
) -> None:
    server.break_after = after
    with pytest.raises(OSError, match=rf"{server.url}: the connection failed .*{after} bytes"):
        download(server.url, target)
    assert left_in(target.parent) == []
    server.break_after = None
    download(server.url, target, sha256(CONTENT))
    assert target.read_bytes() == CONTENT


def test_a_wrong_hash_names_both_and_leaves_nothing(server: Server, target: Path) -> None:
    with pytest.raises(ValueError, match=f"{server.url}: .*expected {'0' * 64} but got {sha256(CONTENT)}"):
        download(server.url, target, "0" * 64)
    assert left_in(target.parent) == []


def test_an_older_file_survives_a_failure(server: Server, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"old")
    with pytest.raises(ValueError, match="expected"):
        download(server.url, target, sha256="0" * 64)
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interruption_leaves_nothing(server: Server, target: Path, error: type[BaseException]) -> None:
    def stop(done: int, total: int | None) -> None:
        if done > 100_000:
            raise error

    with pytest.raises(error):
        download(server.url, target, progress=stop)
    assert left_in(target.parent) == []


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_beyond_the_limit_is_refused(server: Server, target: Path, says_length: bool) -> None:
    server.says_length = says_length
    with pytest.raises(ValueError, match=f"{server.url}: the file is longer than 1000 bytes"):
        download(server.url, target, max_bytes=1000)
    assert left_in(target.parent) == []


def test_a_file_without_a_stated_length_arrives(server: Server, target: Path) -> None:
    server.says_length = False
    totals: set[int | None] = set()
    download(server.url, target, progress=lambda _, total: totals.add(total))
    assert target.read_bytes() == CONTENT
    assert totals == {None}


@pytest.mark.parametrize("status", [404, 500])
def test_a_refusal_names_address_and_status(server: Server, target: Path, status: int) -> None:
    server.status = status
    with pytest.raises(OSError, match=rf"{server.url}: the server answered {status} "):
        download(server.url, target)
    assert left_in(target.parent) == []


def test_no_server_at_all(target: Path) -> None:
    with Server() as gone:
        url = gone.url
    with pytest.raises(OSError, match=f"{url}: the connection failed"):
        download(url, target, timeout=5)


def test_a_redirection_is_followed(server: Server, target: Path) -> None:
    server.moved_to = "/moved/file.bin"
    download(server.url, target, sha256=sha256(CONTENT))
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("elsewhere", ["file:///etc/hostname", "ftp://127.0.0.1/file.bin"])
def test_a_redirection_to_another_scheme_is_refused(server: Server, target: Path, elsewhere: str) -> None:
    server.moved_to = elsewhere
    with pytest.raises(OSError, match=server.url):
        download(server.url, target)
    assert left_in(target.parent) == []


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://localhost/x", "data:,x", "x.csv"])
def test_only_http_is_spoken(url: str, target: Path) -> None:
    with pytest.raises(OSError, match="the connection failed"):
        download(url, target)


def test_several_downloads_of_one_file_do_not_disturb_each_other(server: Server, target: Path) -> None:
    threads = [threading.Thread(target=download, args=(server.url, target)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert target.read_bytes() == CONTENT
    assert left_in(target.parent) == ["file.bin"]


def test_a_compressed_file_is_saved_as_it_is(server: Server, target: Path) -> None:
    server.content = gzip.compress(CONTENT)
    download(server.url, target, sha256(server.content))
    assert target.read_bytes() == server.content
    assert server.requests[-1]["Accept-Encoding"] == "identity"


def test_the_library_for_downloads_is_imported_only_for_them() -> None:
    code = (
        "import sys, semirank; semirank.load('digits'); assert not {'pooch', 'requests'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SEMIRANK_DATA", raising=False)
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_second_call_uses_the_cache(server: Server, cache: Path) -> None:
    file = RemoteFile("set/file.bin", server.url, sha256(CONTENT))
    assert locate(file) == locate(file) == cache / "set" / "file.bin"
    assert len(server.requests) == 1


def test_a_damaged_cache_is_noticed(server: Server, cache: Path) -> None:
    file = RemoteFile("set/file.bin", server.url, sha256(CONTENT))
    locate(file).write_bytes(b"damaged")
    with pytest.raises(ValueError, match=f"file.bin: its SHA-256 is {sha256(b'damaged')}.*Remove it"):
        locate(file)


def test_the_first_good_download_is_trusted_and_a_different_one_refused(server: Server, cache: Path) -> None:
    file = RemoteFile("set/file.bin", server.url)
    locate(file)
    trust([file])
    find(file).unlink()  # type: ignore[union-attr]
    assert locate(file).read_bytes() == CONTENT
    find(file).unlink()  # type: ignore[union-attr]
    server.content = OTHER
    with pytest.raises(ValueError, match=f"expected {sha256(CONTENT)} but got {sha256(OTHER)}"):
        locate(file)
    assert find(file) is None


def test_a_download_that_nobody_checked_is_not_trusted(server: Server, cache: Path) -> None:
    file = RemoteFile("set/file.bin", server.url)
    locate(file).unlink()
    server.content = OTHER
    assert locate(file).read_bytes() == OTHER


def test_a_damaged_record_of_checksums_is_named(cache: Path) -> None:
    cache.mkdir()
    (cache / "checksums.json").write_text("[")
    with pytest.raises(ValueError, match=r"checksums\.json: is damaged"):
        locate(RemoteFile("set/file.bin"))


def test_a_mirror_helps_out(server: Server, cache: Path) -> None:
    with Server() as gone:
        dead = gone.url
    file = RemoteFile("set/file.bin", dead, sha256(CONTENT), mirrors=(dead, server.url))
    assert locate(file).read_bytes() == CONTENT


def test_a_failed_download_says_how_to_do_it_by_hand(server: Server, cache: Path) -> None:
    server.status = 404
    with pytest.raises(OSError, match=r"answered 404.*by hand and save it as .*set/file\.bin"):
        locate(RemoteFile("set/file.bin", server.url, mirrors=(f"{server.url}/2",)))
    assert len(server.requests) == 2


def test_a_file_without_an_address_is_asked_for(cache: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"S1\.txt has to be fetched by hand"):
        locate(RemoteFile("letor/S1.txt"))


@pytest.mark.parametrize(
    ("declared", "present"),
    [
        ("set/x.tar.gz", "set/x.tar.xz"),
        ("set/x.tar.gz", "set/x.tar"),
        ("set/x.txt", "set/x.txt.bz2"),
        ("set/usps.t.bz2", "set/usps.t.bz2"),
        ("set/a/x", "set/a/x.gz"),
    ],
)
def test_the_data_folder_comes_first_in_any_compression(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: str, present: str
) -> None:
    for folder in (tmp_path / "data", cache):
        (folder / present).parent.mkdir(parents=True)
        (folder / present).write_bytes(b"mine")
    assert find(RemoteFile(declared)) == cache / present
    monkeypatch.setenv("SEMIRANK_DATA", str(tmp_path / "data"))
    assert locate(RemoteFile(declared, sha256="0" * 64)) == tmp_path / "data" / present
    trust([RemoteFile(declared)])
    assert not (cache / "checksums.json").exists()


def test_a_data_folder_that_is_not_there_is_named(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMIRANK_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match="nowhere, which is no folder"):
        find(RemoteFile("set/x.txt"))


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "semirank"),
        ("win32", "LOCALAPPDATA", "semirank"),
        ("darwin", "HOME", "Library/Caches/semirank"),
        ("linux", "HOME", ".cache/semirank"),
    ],
)
def test_the_cache_is_where_the_platform_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, expected: str
) -> None:
    for name in ("SEMIRANK_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert cache_folder() == tmp_path / expected
