"""A server of its own, a real browser, and a reader who has a keyboard only."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

CHROMIUM = os.environ.get("SEMIRANK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = {"desktop": (1280, 800), "phone": (390, 844), "narrow": (320, 640)}


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.timeout(180))


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install '.[browser]'")
    if not CHROMIUM:
        pytest.skip("no Chromium: apt-get install chromium, or set SEMIRANK_CHROMIUM")
    with playwright.sync_playwright() as started:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@dataclass
class Server:
    """`semirank serve` as a process of its own, which can be stopped, killed and started again."""

    folder: Path
    arguments: tuple[str, ...] = ()
    port: int = 0
    link: str = ""

    def start(self):
        self.port = self.port or free_port()
        self.log = self.folder / "serve.log"
        command = [sys.executable, "-m", "semirank", "serve", *self.arguments, "--no-browser"]
        command += ["--port", str(self.port), "--folder", str(self.folder)]
        with self.log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        self.link = self._wait_for_link()
        return self

    def _wait_for_link(self):
        for _ in range(300):
            found = re.search(r"http://\S+", self.log.read_text())
            if found and not refuses(self.port):
                return found.group(0)
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        raise AssertionError("the server did not start: " + self.log.read_text())

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()


def refuses(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


@pytest.fixture
def serve(tmp_path, chromium):
    """Give a function that starts servers; they end with the test."""
    started = []

    def start(*arguments, folder=None):
        folder = folder or tmp_path / f"projects-{len(started)}"
        folder.mkdir(exist_ok=True)
        started.append(Server(folder, tuple(map(str, arguments))).start())
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope="module")
def demos(tmp_path_factory, chromium):
    """Give one server for all tests of a file that only look."""
    server = Server(tmp_path_factory.mktemp("demos")).start()
    yield server
    server.close()


@pytest.fixture
def visit(chromium):
    """Give a function that opens a page; errors in its console, and requests to others, fail the test."""
    contexts, wrong = [], []

    def open_page(link, size="desktop", dark=False, **options):
        width, height = WIDTHS[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            has_touch=size != "desktop",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        own = (link.split("/?")[0].split("/#")[0], "blob:", "data:")
        page.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
        page.goto(link)
        return page

    open_page.wrong = wrong
    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
