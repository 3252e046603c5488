"""What a reader with a keyboard does, and what they see."""

import csv
import re


def tab_to(page, locator, most=150):
    """Reach an element as a keyboard does."""
    locator.wait_for()
    for _ in range(most):
        if locator.evaluate("element => element === document.activeElement"):
            return locator
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {locator}")


def press(page, locator):
    """Reach a button or link by Tab, and press Enter."""
    tab_to(page, locator)
    page.keyboard.press("Enter")


def open_demo(page, name="Exercise for back pain"):
    press(page, page.get_by_role("button", name=name).last)
    page.locator("article[data-row]").first.wait_for()


def shown_row(page):
    return int(page.locator("article[data-row]").first.get_attribute("data-row"))


def wait_for_other(page, row):
    page.wait_for_function(
        """row => {
            const card = document.querySelector('article[data-row]');
            return card && card.dataset.row !== String(row);
        }""",
        arg=row,
    )


def verdicts(page, keys):
    """Press keys, each when the item before it has gone."""
    for key in keys:
        row = shown_row(page)
        page.keyboard.press(key)
        wait_for_other(page, row)


def wait_until_saved(page):
    """Wait until the server has acknowledged everything."""
    page.locator(".shell[data-waiting='0']").wait_for()


def counts(page):
    """Read found and read, as the top bar says."""
    said = page.locator(".top .counts").text_content().replace(",", "")
    return tuple(int(re.search(rf"(\d+)\s*{word}", said).group(1)) for word in ("found", "read"))


def go(page, screen):
    """Choose a screen from the bar at the top, or from its menu on a phone."""
    if page.locator("button.menu").is_visible():
        press(page, page.locator("button.menu"))
    press(page, page.locator("nav#screens").get_by_role("link", name=screen))
    page.locator("main").wait_for()


def write_table(path, rows):
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
