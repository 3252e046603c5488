"""The pictures of docs/app.md, from the demos.

python -m benchmarks.web.pictures

A reader types a question, gives verdicts by a rule, and walks through all screens. Pictures have 256 colours,
so that they stay small. Needs Chromium and pip install -e ".[browser]".
"""

import io
import os
import re
import tempfile
from pathlib import Path

from benchmarks.web.browser import CHROMIUM
from benchmarks.web.server import serving
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_digits

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "app"
WANTED = re.compile(r"(exercise|walking|training|yoga|pilates|control).*back pain", re.IGNORECASE)
DIGITS = load_digits().target


def keep(page: Page, name: str) -> None:
    picture = Image.open(io.BytesIO(page.screenshot()))
    few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


def visit(browser: Browser, base: str, cookies: list[dict[str, str]], width: int, dark: bool = False) -> Page:
    size = {"width": width, "height": 800 if width > 500 else 844}
    context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(base)
    page.locator(".tile").first.wait_for()
    return page


def open_demo(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).last.click()
    page.locator("article[data-row]").first.wait_for()
    page.wait_for_timeout(1000)


def is_wanted(title: str) -> bool:
    number = re.fullmatch(r"digit (\d+)", title)
    return DIGITS[int(number.group(1)) - 1] == 3 if number else bool(WANTED.search(title))


def read(page: Page, verdicts: int) -> None:
    for _ in range(verdicts):
        page.keyboard.press("f" if is_wanted(page.locator("article .title").first.inner_text()) else "d")
        page.wait_for_timeout(120)
    page.wait_for_timeout(2500)


def go(page: Page, screen: str, pause: int = 1500) -> None:
    address = re.sub(r"/[a-z]+$", f"/{screen}", page.url)
    page.evaluate("address => { location.href = address; }", address)
    page.wait_for_timeout(pause)


def texts(page: Page) -> None:
    keep(page, "start")
    open_demo(page, "Exercise for back pain")
    page.locator("#question").fill("exercise for chronic low back pain")
    page.keyboard.press("Enter")
    page.wait_for_timeout(4000)
    read(page, 13)
    keep(page, "read")
    read(page, 50)
    page.locator(".running").wait_for(state="detached", timeout=120_000)
    for screen in ("evidence", "labels", "export", "settings"):
        go(page, screen)
        keep(page, screen)


def pictures(page: Page) -> None:
    open_demo(page, "Handwritten digits")
    read(page, 12)
    for _ in range(4):
        page.keyboard.press("g")
        page.wait_for_timeout(400)
    page.wait_for_timeout(1500)
    keep(page, "cards")
    page.keyboard.press("g")
    page.wait_for_timeout(500)
    read(page, 25)
    go(page, "map")
    page.get_by_text("similar. t-SNE").wait_for(timeout=300_000)
    page.wait_for_timeout(1000)
    keep(page, "map")


def phone(page: Page, name: str) -> None:
    open_demo(page, "Exercise for back pain")
    page.wait_for_timeout(1500)
    keep(page, name)


def imported(page: Page) -> None:
    rows = Path(__file__).resolve().parents[2] / "src" / "semirank" / "web" / "data" / "abstracts.csv"
    page.locator("input[type=file]").set_input_files(rows)
    page.get_by_role("button", name="Start reading").wait_for()
    keep(page, "import")


def reviewers(browser: Browser, folder: Path) -> None:
    with serving(folder, "--users") as (client, _, _):
        base = str(client.base_url)
        cookies = [{"name": name, "value": value, "url": base} for name, value in client.cookies.items()]
        owner = visit(browser, base, cookies, 1280)
        open_demo(owner, "Exercise for back pain")
        go(owner, "reviewers")
        owner.get_by_label("Double reading").select_option("all")
        owner.get_by_label("Name").fill("Bea")
        owner.get_by_role("button", name="Invite").click()
        link = owner.get_by_label(re.compile("Send this link")).input_value()
        guest = browser.new_context().new_page()
        guest.goto(link)
        guest.wait_for_timeout(1500)
        if guest.locator(".tile").count():
            guest.locator(".tile").first.click()
        guest.locator("article[data-row]").wait_for()
        go(owner, "work")
        read(owner, 30)
        read(guest, 10)
        for key in "dfdd":  # somebody who sometimes sees it otherwise
            guest.keyboard.press(key)
            guest.wait_for_timeout(150)
        read(guest, 16)
        owner.reload()
        go(owner, "reviewers", 2500)
        keep(owner, "reviewers")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        with serving(Path(folder, "one")) as (client, _, _):
            base = str(client.base_url)
            cookies = [{"name": name, "value": value, "url": base} for name, value in client.cookies.items()]
            imported(visit(browser, base, cookies, 1280))
            texts(visit(browser, base, cookies, 1280))
            pictures(visit(browser, base, cookies, 1280))
            phone(visit(browser, base, cookies, 390), "phone")
            phone(visit(browser, base, cookies, 390, dark=True), "phone-dark")
        reviewers(browser, Path(folder, "two"))
        browser.close()


if __name__ == "__main__":
    main()
