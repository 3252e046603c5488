"""Start the server: a port, a token, a page in the browser."""

import ctypes
import os
import socket
import ssl
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from semirank.files import ending_of
from semirank.web.app import make_app, missing_parts
from semirank.web.people import Person, hash_of
from semirank.web.safety import Access
from semirank.web.shelf import Shelf
from semirank.web.uploads import PROJECT, Upload, UploadError

TURN = 0.0005  # seconds that the engine's thread may go on in Python while a request waits; 0.005 is usual
MMAP_THRESHOLD, LARGE = -3, 4 << 20  # of mallopt: bytes from which an array is a map of its own
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = ("0.0.0.0", "::")


@dataclass(frozen=True)
class Options:
    """How to serve; the command line says what each means."""

    data: Path | None = None
    project: Path | None = None
    images: Path | None = None
    vectors: Path | None = None
    beside: tuple[Path, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    folder: Path = field(default_factory=lambda: default_folder())
    host: str = "127.0.0.1"
    port: int = 0
    users: bool = False
    browser: bool = True
    certfile: Path | None = None
    keyfile: Path | None = None
    behind_proxy: str | None = None


def default_folder() -> Path:
    """Return where projects are kept that do not stand beside their data."""
    return Path(os.environ.get("SEMIRANK_PROJECTS") or Path.home() / "semirank")


def check(options: Options) -> None:
    """Refuse before anything is started what would not be safe, or not work."""
    if options.host not in LOOPBACK:
        if not options.users:
            raise ValueError(f"--host {options.host} lets others in: say --users, so that each has a link.")
        if options.certfile is None and options.behind_proxy is None:
            raise ValueError(
                f"--host {options.host} needs HTTPS: --certfile FILE, or --behind-proxy NAME for a server "
                "before this one that speaks it."
            )
    files = (options.data, options.images, options.vectors, options.certfile, options.keyfile)
    for path in (*files, *options.beside):
        if path is not None and not path.exists():
            raise FileNotFoundError(f"{path}: no such file.")
    if options.images is not None and not options.images.is_dir():
        raise NotADirectoryError(f"{options.images}: is no folder of images.")
    if options.certfile is not None:
        with suppress(ssl.SSLError):
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
                options.certfile, options.keyfile
            )
            return
        raise ValueError(f"{options.certfile}: is no certificate with its key (--keyfile).")


def serve(options: Options, say: Callable[[str], None]) -> None:
    """Serve until it is interrupted."""
    check(options)
    sys.setswitchinterval(TURN)
    _give_back_freed_memory()
    listening = _listen(options.host, options.port)
    port = listening.getsockname()[1]
    shelf = Shelf(options.folder, users=options.users)
    try:
        first = _first(options, shelf)
        access = Access(
            port,
            hosts=_names(options),
            invited=lambda secret: find_invited(shelf, secret),
            secure=options.certfile is not None or options.behind_proxy is not None,
        )
        address = f"{_address(options, port)}/?token={access.token}"
        server = _server(make_app(shelf, access, first), options)
    except BaseException:
        listening.close()
        shelf.close()
        raise
    missing = missing_parts()
    if missing:
        say(missing)
    say(f"semirank is at {address}\nStop it with Ctrl+C; every verdict is on disk already.")
    if options.browser and missing is None:
        threading.Thread(target=_open, args=(server, address), daemon=True).start()
    server.run(sockets=[listening])


def _give_back_freed_memory() -> None:
    """Have large arrays go back to the system when they are freed, where the C library can be told so.

    glibc moves its threshold up to 32 MB as it sees arrays freed, and then keeps what preparing features has
    used: 480 MB at most and 467 afterwards for 10,000 abstracts, instead of 440 and 399.
    """
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, LARGE)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio: no delay
    if os.name != "nt":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise OSError(f"The port {port} of {host} cannot be used ({error}). Say --port.") from error
    return listening


def _server(app: FastAPI, options: Options) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=options.behind_proxy is not None,
        timeout_graceful_shutdown=1,
        ssl_certfile=options.certfile,
        ssl_keyfile=options.keyfile,
        ws="none",
    )
    return uvicorn.Server(config)


def _names(options: Options) -> tuple[str, ...]:
    """Return the names by which browsers may call the server."""
    if options.behind_proxy is not None:
        return (options.behind_proxy,)
    own = ("127.0.0.1", "localhost", "[::1]")
    if options.host in ANY:
        return (*own, socket.gethostname(), socket.getfqdn())
    return own if options.host in LOOPBACK else (options.host,)


def _address(options: Options, port: int) -> str:
    if options.behind_proxy is not None:
        return f"https://{options.behind_proxy}"
    host = socket.gethostname() if options.host in ANY else options.host
    return f"{'https' if options.certfile else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def _first(options: Options, shelf: Shelf) -> dict[str, str | None]:
    """Open or read what the command line names; a project beside the data is opened again."""
    path = options.project
    if options.data is not None and ending_of(options.data.name) == PROJECT and path is None:
        return {"open": shelf.open(options.data).key}
    source = options.data or options.images or options.vectors
    if path is None and source is not None:
        path = source.with_name(source.name.split(".")[0] + PROJECT)
    if path is not None and path.exists():
        return {"open": shelf.open(path).key}
    if source is None:
        if path is not None:
            raise FileNotFoundError(f"{path}: no such project. Name the data as well, to make it.")
        return {}
    upload = shelf.put(
        Upload(
            source,
            source.name,
            images=options.images,
            vectors_from=options.vectors if source != options.vectors else None,
            chosen=options.columns,
            target=path,
            beside={each: each.name for each in options.beside},
        )
    )
    upload.read()
    if upload.state == "failed":
        raise UploadError(upload.error)
    return {"import": upload.id}


def find_invited(shelf: Shelf, secret: str) -> Person | None:
    """Return who was invited by this secret, if the invitation still holds."""
    if not shelf.users or not secret:
        return None
    hashed = hash_of(secret)
    for session in shelf.sessions():
        for each in session.invitations():
            if each.hash == hashed:
                return Person(each.name, each.role, session.key)
    return None


def _open(server: uvicorn.Server, address: str) -> None:
    while not server.started:
        time.sleep(0.02)
        if server.should_exit:
            return
    with suppress(webbrowser.Error):
        webbrowser.open(address)


def tell(message: str) -> None:
    """Say something on standard error."""
    print(message, file=sys.stderr, flush=True)
