"""From a key to the next item, drawn: in a real browser, with the server and its engine at work.

python -m benchmarks.web.browser --items 20000 --verdicts 500 --per-second 2

A reader presses a key for the item before their eyes (relevant where the word "topic" is in it). Measured in
the page: from the keydown event to the frame in which another title stands on the card; and to the end of the
work of that frame. Needs Chromium and pip install -e ".[browser]".
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.web.server import machine, serving, texts, told
from playwright.sync_api import Page, sync_playwright

from semirank.web.project import ProjectItem
from semirank.web.shelf import make

CHROMIUM = os.environ.get("SEMIRANK_CHROMIUM") or shutil.which("chromium")
WATCH = """() => {
    window.waits = [];
    const title = () => document.querySelector('article[data-row]')?.dataset.row;
    addEventListener('keydown', event => {
        const before = title(), began = performance.now();
        const look = () => {
            if (title() === before) return requestAnimationFrame(look);
            const seen = performance.now() - began;
            const channel = new MessageChannel(); // answers when the frame has been painted
            channel.port1.onmessage = () => window.waits.push([seen, performance.now() - began]);
            channel.port2.postMessage(null);
        };
        requestAnimationFrame(look);
    }, true);
}"""


def read(page: Page, verdicts: int, per_second: float) -> None:
    """Press a key for each item, at the pace that is asked for; 0: as fast as items come."""
    for done in range(verdicts):
        began = time.perf_counter()
        relevant = page.evaluate("() => /topic/.test(document.querySelector('article').textContent)")
        page.keyboard.press("f" if relevant else "d")
        page.wait_for_function("n => window.waits.length > n", arg=done)
        if per_second:
            time.sleep(max(0.0, 1 / per_second - (time.perf_counter() - began)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--verdicts", type=int, default=500)
    parser.add_argument("--per-second", type=float, default=2.0)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "many.semirank")
        made = [ProjectItem(str(row), *text) for row, text in enumerate(texts(options.items))]
        make(path, made, None, {}).close()
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        with serving(Path(folder), str(path)) as (client, _, _):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            base = str(client.base_url)
            cookies = [{"name": name, "value": value, "url": base} for name, value in client.cookies.items()]
            context.add_cookies(cookies)
            page = context.new_page()
            page.goto(base)
            page.locator("article[data-row]").wait_for(timeout=300_000)
            page.evaluate(WATCH)
            read(page, options.verdicts, options.per_second)
            waits = page.evaluate("() => window.waits")
        browser.close()
    told("key to the frame with the next item", [seen / 1000 for seen, _ in waits], 50)
    told("key to the end of that frame's work", [painted / 1000 for _, painted in waits], 50)


if __name__ == "__main__":
    main()
