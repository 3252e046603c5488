"""The ways through the app, by keyboard alone, at three widths, light and dark; axe finds nothing."""

import re
import zipfile

import pytest
from tests.web.browser.reader import (
    counts,
    go,
    open_demo,
    press,
    tab_to,
    verdicts,
    wait_until_saved,
    write_table,
)

SIZES = [
    ("desktop", False),
    ("desktop", True),
    ("phone", False),
    ("phone", True),
    ("narrow", False),
    ("narrow", True),
]
SCREENS = ["Read", "Evidence", "Map", "Labels", "Export", "Settings"]


def check(page):
    """Axe finds nothing, and nothing is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(
        page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    )
    assert [(v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found.response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("size", "dark"), SIZES)
def test_a_demo_is_labelled_and_every_screen_is_reached(demos, visit, size, dark):
    page = visit(demos.link, size, dark)
    page.get_by_role("heading", name="semirank").wait_for()
    page.locator(".tile").first.wait_for()
    check(page)
    open_demo(page)
    before = counts(page)
    verdicts(page, "dfd")
    wait_until_saved(page)
    found, read = counts(page)
    assert (found - before[0], read - before[1]) == (1, 3)
    page.locator(".why .sum").first.wait_for()
    check(page)
    for screen in SCREENS[1:]:
        go(page, screen)
        page.get_by_role("heading", level=1).wait_for()
        if screen == "Map":
            page.locator("canvas").wait_for(timeout=60_000)
        if screen == "Labels":
            page.locator("table.items").wait_for()
        if screen == "Evidence":
            page.locator(".claim .figure").first.wait_for()
        check(page)
    page.keyboard.press("w")
    page.locator(".bar").wait_for()
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    check(page)


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_table_is_understood_and_enter_accepts(serve, visit, tmp_path, size):
    rows = [
        {
            "key": f"k{i}",
            "title": f"Trial {i} of {'exercise' if i % 3 == 0 else 'aspirin'}",
            "abstract": f"Text number {i} about {'backs' if i % 3 == 0 else 'hearts'}.",
            "included": {0: "1", 1: "0"}.get(i, ""),
        }
        for i in range(40)
    ]
    server = serve(write_table(tmp_path / "reviews.csv", rows))
    page = visit(server.link, size)
    page.get_by_role("heading", name="What was understood").wait_for()
    page.get_by_role("button", name="Start reading").wait_for()
    said = page.locator("dl.facts").inner_text()
    assert "40" in said
    assert "1 relevant, 1 not, 38 unread" in said
    assert page.get_by_label("abstract Is").input_value() == "text"
    check(page)
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    assert counts(page) == (1, 2)
    assert (tmp_path / "reviews.semirank").exists()
    page.close()
    server.close()
    again = serve(tmp_path / "reviews.csv", folder=server.folder)
    second = visit(again.link, size)
    second.locator("article[data-row]").wait_for()
    assert counts(second) == (1, 2)


def choose(page, *paths):
    """Choose files as the dialog of the system does."""
    with page.expect_file_chooser() as chooser:
        press(page, page.get_by_role("button", name="or choose one"))
    chooser.value.set_files([str(path) for path in paths])
    page.get_by_role("button", name="Start reading").wait_for()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_run_and_its_qrels_are_chosen_together(serve, visit, tmp_path, size):
    run = (f"{q} Q0 d{i} {i + 1} {20 - i} bm25\n" for q in (7, 8) for i in range(12))
    (tmp_path / "bm25.run").write_text("".join(run))
    (tmp_path / "bm25.qrels").write_text("7 0 d1 2\n7 0 d2 0\n8 0 d3 1\n")
    page = visit(serve().link, size)
    choose(page, tmp_path / "bm25.qrels", tmp_path / "bm25.run")
    said = page.locator("dl.facts").inner_text()
    assert "2 relevant, 1 not, 21 unread" in said
    check(page)
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    assert counts(page) == (2, 3)


def test_a_zip_of_images_is_chosen(serve, visit, tmp_path):
    image = pytest.importorskip("PIL.Image")
    with zipfile.ZipFile(tmp_path / "pets.zip", "w") as packed:
        for n in range(6):
            image.new("RGB", (60, 40), (40 * n, 90, 0)).save(tmp_path / "one.png")
            packed.write(tmp_path / "one.png", f"pets/{n}.png")
        packed.writestr("notes.svg", "<svg/>")
    page = visit(serve().link)
    choose(page, tmp_path / "pets.zip")
    assert "notes.svg" in page.locator(".notice").inner_text()
    check(page)
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    page.wait_for_function("() => document.querySelector('article img')?.naturalWidth > 0")
    verdicts(page, "fd")
    wait_until_saved(page)
    assert counts(page) == (1, 2)


def test_a_file_is_chosen_and_another_is_added(serve, visit, tmp_path):
    ris = "".join(
        f"TY  - JOUR\nTI  - Record {i} of {'knees' if i % 2 else 'hips'}\nAB  - Abstract {i}.\nER  - \n\n"
        for i in range(12)
    )
    (tmp_path / "refs.ris").write_text(ris)
    (tmp_path / "more.ris").write_text(ris.replace("Record 1 ", "Record 99 "))
    page = visit(serve().link)
    choose(page, tmp_path / "refs.ris")
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    verdicts(page, "fd")
    wait_until_saved(page)
    go(page, "Settings")
    with page.expect_file_chooser() as chooser:
        press(page, page.get_by_role("button", name="or choose one"))
    chooser.value.set_files(tmp_path / "more.ris")
    page.get_by_role("button", name="Add to the project").wait_for()
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes('of 13')")
    assert counts(page) == (1, 2)


@pytest.mark.parametrize("size", ["desktop", "narrow"])
def test_a_question_and_known_items_begin_the_order(serve, visit, size):
    page = visit(serve().link, size)
    open_demo(page)
    tab_to(page, page.locator("#question"))
    page.keyboard.type("exercise for chronic low back pain")
    page.keyboard.press("Enter")
    page.locator("form.hint").wait_for(state="detached")
    title = page.locator("article .title")
    title.filter(has_text=re.compile("exercise|back|yoga|training", re.IGNORECASE)).wait_for()
    assert counts(page) == (0, 0)
    go(page, "Settings")
    press(page, page.get_by_role("button", name="Remove"))
    page.get_by_text("None: the order follows your verdicts alone.").wait_for()
    page.keyboard.press("w")
    page.locator("article[data-row]").wait_for()
    press(page, page.get_by_role("button", name="I know relevant items"))
    tab_to(page, page.get_by_label("Or paste ids"))
    page.keyboard.type("1\nno such item")
    press(page, page.locator("dialog").get_by_role("button", name="Rank by this"))
    page.get_by_text("1 item found and marked relevant").wait_for()
    page.get_by_text("no such item").wait_for()
    check(page)
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes('1 found')")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_reading_why_modes_evidence_audit_stop_and_export(serve, visit, size):
    page = visit(serve().link, size)
    open_demo(page)
    verdicts(page, "fdfddsl")
    wait_until_saved(page)
    assert counts(page) == (2, 6)
    page.locator(".why .amount").first.wait_for()
    assert page.locator("article mark").count() > 0
    page.keyboard.press("x")
    page.locator(".why").wait_for(state="detached")
    page.keyboard.press("x")
    page.keyboard.press("n")
    page.keyboard.type("worth a second look")
    page.keyboard.press("Control+Enter")
    page.locator("article .note").wait_for()
    page.keyboard.press("t")
    page.keyboard.type("pilot")
    page.keyboard.press("Enter")
    page.locator("article .tag").wait_for()
    page.keyboard.press("e")
    page.get_by_role("heading", name="Evidence").wait_for()
    page.locator(".claim").nth(1).wait_for()
    assert "Callaghan" in page.locator(".claim").first.inner_text()
    assert page.get_by_text("Price:").is_visible()
    press(page, page.get_by_role("button", name="Start the audit"))
    page.locator("article[data-row]").wait_for()
    verdicts(page, "dd")
    wait_until_saved(page)
    page.keyboard.press("e")
    page.get_by_role("button", name="Go on with the audit").wait_for()
    press(page, page.get_by_role("button", name="Stop here"))
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("For a methods section:").wait_for()
    page.keyboard.press("u")
    page.get_by_role("button", name="Stop here").wait_for()
    page.keyboard.press("Shift+U")
    page.get_by_text("For a methods section:").wait_for()
    check(page)
    go(page, "Export")
    with page.expect_download() as taken:
        press(page, page.get_by_role("link", name=re.compile("^CSV exact")))
    text = taken.value.path().read_text(encoding="utf-8-sig")
    assert "worth a second look" in text
    assert "pilot" in text
    with page.expect_download() as whole:
        press(page, page.get_by_role("link", name=re.compile("whole project")))
    assert whole.value.path().read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_two_reviewers_are_blind_until_both_have_spoken(serve, visit, size):
    server = serve("--users")
    owner = visit(server.link, size)
    open_demo(owner)
    go(owner, "Reviewers")
    tab_to(owner, owner.get_by_label("Double reading"))
    owner.keyboard.press("ArrowDown")  # everything twice
    tab_to(owner, owner.get_by_label("Name"))
    owner.keyboard.type("Bea")
    press(owner, owner.get_by_role("button", name="Invite"))
    link = owner.get_by_label(re.compile("Send this link")).input_value()
    check(owner)
    bea = visit(link, size)
    bea.wait_for_load_state()
    if bea.locator(".tile").count():
        press(bea, bea.locator(".tile").first)
    bea.locator("article[data-row]").wait_for()
    owner.keyboard.press("w")
    owner.locator("article[data-row]").wait_for()
    verdicts(owner, "ffff")
    wait_until_saved(owner)
    verdicts(bea, "dddddddd")
    wait_until_saved(bea)
    assert "owner" not in bea.locator("main").inner_text()
    for _ in range(12):  # the owner reads on, until some items have two verdicts
        verdicts(owner, "f")
    wait_until_saved(owner)
    go(owner, "Reviewers")
    owner.get_by_text("Cohen's kappa").first.wait_for()
    conflict = owner.locator(".conflict").first
    conflict.wait_for()
    assert "Bea" in conflict.inner_text()
    before = owner.locator(".conflict").count()
    check(owner)
    press(owner, conflict.get_by_role("button", name="Not"))
    owner.wait_for_function("n => document.querySelectorAll('.conflict').length < n", arg=before)


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_lists_with_grades_are_judged_one_after_the_other(serve, visit, tmp_path, size):
    rows = [
        {
            "query": f"query {q}",
            "doc": f"{q}-{i}",
            "title": f"Document {i} on topic {q}",
            "text": f"Words of topic {q}, part {i}.",
            "grade": {0: "3", 1: "0"}.get(i, ""),
        }
        for q in range(4)
        for i in range(15)
    ]
    server = serve(
        write_table(tmp_path / "lists.csv", rows), "--qid", "query", "--item", "doc", "--label", "grade"
    )
    page = visit(server.link, size)
    page.get_by_role("button", name="Start reading").wait_for()
    assert page.get_by_label("Verdicts").input_value() == "graded"
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    page.keyboard.press("]")
    page.wait_for_function("() => document.querySelector('.about')?.textContent.includes('query 0')")
    verdicts(page, "32")
    page.keyboard.press("]")
    page.wait_for_function("() => document.querySelector('.about')?.textContent.includes('query 1')")
    verdicts(page, "10")
    page.keyboard.press("[")
    page.wait_for_function("() => document.querySelector('.about')?.textContent.includes('query 0')")
    wait_until_saved(page)
    check(page)
    go(page, "Evidence")
    page.get_by_text("Judged in the top 10").wait_for()
    check(page)
    go(page, "Export")
    with page.expect_download() as taken:
        press(page, page.get_by_role("link", name=re.compile("^qrels")))
    lines = taken.value.path().read_text().splitlines()
    assert len(lines) == 12
