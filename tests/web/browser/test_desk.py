"""What the reading desk promises: nothing moves, nothing is lost, nothing waits, nothing is markup."""

import json
import re
import signal

import pytest
from tests.web.browser.reader import (
    counts,
    go,
    open_demo,
    press,
    shown_row,
    tab_to,
    verdicts,
    wait_until_saved,
    write_table,
)

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script> & <b>bold</b>'


def table(path, n):
    topics = ["knees", "hips", "hearts", "kidneys", "backs"]
    rows = [
        {
            "title": f"{HOSTILE if i == 0 else ''} Trial {i} of {topics[i % 5]}"
            + " and more of it" * (i % 7),
            "abstract": f"About {topics[i % 5]} and group {i % 11}. " * (1 + (i * 37) % 60),
        }
        for i in range(n)
    ]
    return write_table(path, rows)


def open_table(serve, visit, tmp_path, n, size="desktop"):
    page = visit(serve(table(tmp_path / "many.csv", n)).link, size)
    page.get_by_role("button", name="Start reading").wait_for()
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    return page


def key_of(page):
    return re.search(r"#/p/([^/]+)", page.url).group(1)


def ask(page, path):
    return page.evaluate("path => fetch(path).then(r => r.json())", f"/api/p/{key_of(page)}/{path}")


def log_of(page):
    return ask(page, "log?n=1000")["events"]


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_bar_never_moves(serve, visit, tmp_path, size):
    page = open_table(serve, visit, tmp_path, 620 if size == "desktop" else 120, size)
    page.evaluate(
        """() => {
            window.rectangles = new Set();
            const look = () => {
                const parts = [...document.querySelectorAll('.bar, .verdict')];
                const sides = parts.map(e => e.getBoundingClientRect());
                window.rectangles.add(JSON.stringify(sides.map(r => [r.x, r.y, r.width, r.height])));
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    n = 500 if size == "desktop" else 60
    for i in range(n):
        verdicts(page, "f" if i % 9 == 0 else "d")
        if i % 50 == 0:
            page.locator(".reading").evaluate("pane => pane.scrollTop = 300")
        elif i % 50 == 1:
            assert page.locator(".reading").evaluate("pane => pane.scrollTop") == 0
    wait_until_saved(page)
    assert page.evaluate("window.rectangles.size") == 1
    assert len([event for event in log_of(page) if event["kind"] == "label"]) == n


def test_verdicts_wait_for_a_server_that_hangs_and_one_that_is_killed(serve, visit, tmp_path):
    server = serve(table(tmp_path / "many.csv", 60))
    page = visit(server.link)
    page.get_by_role("button", name="Start reading").wait_for()
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    verdicts(page, "fd")
    wait_until_saved(page)
    server.signal(signal.SIGSTOP)
    verdicts(page, "ddd")
    page.get_by_text("3 verdicts not saved yet").wait_for()
    server.signal(signal.SIGCONT)
    page.get_by_text("not saved yet").wait_for(state="detached", timeout=20_000)
    wait_until_saved(page)
    server.kill()
    verdicts(page, "fdd")
    page.get_by_text("3 verdicts not saved yet").wait_for()
    page.on("dialog", lambda asked: asked.accept())
    server.start()
    again = page.context.new_page()
    again.goto(server.link)  # a new token: the old cookie is no longer good
    again.close()
    page.get_by_text("not saved yet").wait_for(state="detached", timeout=30_000)
    wait_until_saved(page)
    labels = [event for event in log_of(page) if event["kind"] == "label"]
    assert len(labels) == 8
    assert len({event["id"] for event in labels}) == 8
    visit.wrong.clear()  # the browser reports requests to a server that is away


def test_the_outbox_survives_the_end_of_the_page(serve, visit, tmp_path):
    server = serve(table(tmp_path / "many.csv", 60))
    page = visit(server.link)
    page.get_by_role("button", name="Start reading").wait_for()
    page.keyboard.press("Enter")
    page.locator("article[data-row]").wait_for()
    address = page.url
    server.signal(signal.SIGSTOP)
    verdicts(page, "fd")
    page.get_by_text("2 verdicts not saved yet").wait_for()
    context = page.context
    page.close(run_before_unload=False)
    server.signal(signal.SIGCONT)
    second = context.new_page()
    second.goto(address)
    second.locator("article[data-row]").wait_for()
    wait_until_saved(second)
    assert len([event for event in log_of(second) if event["kind"] == "label"]) == 2


def test_markup_in_a_title_is_text(serve, visit, tmp_path):
    page = open_table(serve, visit, tmp_path, 12)
    for _ in range(12):
        if HOSTILE in page.locator("article .title").inner_text():
            break
        verdicts(page, "d")
    assert HOSTILE in page.locator("article .title").inner_text()
    assert page.locator("article script, article .title img, article .title b").count() == 0
    assert page.title() not in ("1", "2")
    policy = page.request.get(page.url.split("#")[0]).headers["content-security-policy"]
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy


def test_undo_returns_to_the_item_and_redo_gives_the_verdict_again(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    first = shown_row(page)
    verdicts(page, "fd")
    third = shown_row(page)
    page.keyboard.press("u")
    page.keyboard.press("u")
    assert shown_row(page) == first
    assert counts(page) == (0, 0)
    page.keyboard.press("Shift+U")
    page.keyboard.press("Shift+U")
    assert counts(page) == (1, 2)
    wait_until_saved(page)
    assert shown_row(page) != first
    assert third != first
    page.reload()
    page.locator("article[data-row]").wait_for()
    page.keyboard.press("u")  # across pages: the last step that the log knows
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes('1 read')")
    kinds = [event["kind"] for event in log_of(page)][:6]
    assert kinds.count("undo") == 3
    assert kinds.count("redo") == 2


def test_the_card_stays_and_a_new_order_waits_while_the_reader_picks(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    verdicts(page, "fdfd")
    wait_until_saved(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.wait_for_function(
        "() => document.querySelector('.entry.current') === document.querySelectorAll('.entry')[2]"
    )
    picked = shown_row(page)
    before = page.locator(".entry .title").all_inner_texts()[:5]
    other = ask(page, "queue?n=9")["items"][8]
    event = {"id": "elsewhere-1", "kind": "label", "item": other["id"], "qid": other["qid"], "value": 1}
    page.evaluate(
        """([path, body]) => fetch(path, {
            method: 'POST', headers: {'X-Semirank': '1', 'Content-Type': 'application/json'}, body
        })""",
        [f"/api/p/{key_of(page)}/events", json.dumps([event])],
    )
    page.get_by_role("button", name=re.compile("moved|Back to the best")).wait_for()
    page.wait_for_timeout(1500)
    assert shown_row(page) == picked
    assert page.locator(".entry .title").all_inner_texts()[:5] == before
    page.keyboard.press("r")
    page.wait_for_function(
        "() => document.querySelector('.entry.current') === document.querySelector('.entry')"
    )


def test_a_list_that_was_on_its_way_does_not_come_between_two_keys(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    verdicts(page, "fdf")
    wait_until_saved(page)
    page.wait_for_timeout(1500)
    page.evaluate(
        """() => {
            const fetched = window.fetch, asked = (window.asked = []);
            window.fetch = async (path, ...rest) => {
                if (!String(path).includes("sort=rank")) return fetched(path, ...rest);
                asked.push(path);
                const answer = await (await fetched(path, ...rest)).json();
                answer.items.reverse(); // an order that nobody can take for the old one
                await new Promise((done) => setTimeout(done, 1500));
                window.came = asked.length;
                return new Response(JSON.stringify(answer));
            };
        }"""
    )
    verdicts(page, "d")
    page.wait_for_function("() => window.asked.length > 0")
    page.keyboard.press("j")
    before = page.locator(".entry .title").all_inner_texts()[:8]
    page.wait_for_function("() => window.came === window.asked.length")
    page.wait_for_timeout(500)
    assert page.locator(".entry .title").all_inner_texts()[:8] == before


def test_a_job_that_has_ended_is_not_shown_again_by_an_answer_that_was_on_its_way(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    page.evaluate(
        """() => {
            const fetched = window.fetch;
            window.fetch = async (path, ...rest) => {
                const answer = await fetched(path, ...rest);
                if (!/^\\/api\\/p\\/[^/]+$/.test(String(path))) return answer;
                const project = await answer.json();
                for (const job of project.jobs) job.state = "running"; // as it was when the answer was made
                window.jobs = project.jobs.length;
                return new Response(JSON.stringify(project));
            };
        }"""
    )
    verdicts(page, "d")  # the first one starts a backup
    wait_until_saved(page)
    page.wait_for_function(
        """path => fetch(path).then(r => r.json())
            .then(jobs => jobs.length > 0 && jobs.every(job => job.state !== "running"))""",
        arg=f"/api/p/{key_of(page)}/jobs",
    )
    page.wait_for_timeout(500)
    tab_to(page, page.locator("#question"))
    page.keyboard.type("exercise")
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.jobs > 0")
    page.wait_for_timeout(500)
    assert page.locator(".running").count() == 0


def test_search_results_are_labelled_where_they_stand(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    page.keyboard.press("/")
    page.keyboard.type("yoga")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("results? for “yoga”")).wait_for()
    page.wait_for_function("() => /yoga/i.test(document.querySelector('article')?.textContent)")
    row = shown_row(page)
    page.keyboard.press("f")
    wait_until_saved(page)
    assert next(event for event in log_of(page) if event["kind"] == "label")["mode"] == "search"
    assert page.locator(f"#item-{row} .mark.relevant").count() == 1
    page.keyboard.press("r")
    page.get_by_text(re.compile("results? for")).wait_for(state="detached")


def test_keys_are_changed_and_switched_off(demos, visit):
    page = visit(demos.link)
    open_demo(page)
    go(page, "Settings")
    press(page, page.get_by_role("button", name="relevant: Key", exact=True))
    page.get_by_text("Press a key").wait_for()
    page.keyboard.press("p")
    page.get_by_role("button", name="relevant: Key", exact=True).get_by_text("p", exact=True).wait_for()
    page.keyboard.press("w")
    page.locator("article[data-row]").wait_for()
    row, (found, read) = shown_row(page), counts(page)
    page.keyboard.press("f")
    assert shown_row(page) == row
    verdicts(page, "p")
    assert counts(page) == (found + 1, read + 1)
    go(page, "Settings")
    press_space(page, page.get_by_label("Keys act without Ctrl or Alt"))
    press(page, page.locator("nav#screens").get_by_role("link", name="Read"))
    page.locator("article[data-row]").wait_for()
    row = shown_row(page)
    page.keyboard.press("p")
    assert shown_row(page) == row
    press(page, page.locator(".verdict.relevant"))  # buttons still work


def press_space(page, locator):
    tab_to(page, locator)
    page.keyboard.press(" ")


def test_images_are_read_many_at_a_time(demos, visit):
    page = visit(demos.link)
    open_demo(page, "Handwritten digits")
    for n in (2, 4, 8, 24):
        page.keyboard.press("g")
        page.wait_for_function("n => document.querySelectorAll('article.small').length === n", arg=n)
    assert page.locator("article.small img").first.evaluate(
        "image => image.decode().then(() => image.naturalWidth > 0)"
    )
    page.keyboard.press("f")
    page.keyboard.press("d")
    page.wait_for_function(
        "() => document.querySelectorAll('article.small')[2].classList.contains('current')"
    )
    assert page.locator("article.small").nth(0).locator(".mark.relevant").count() == 1
    assert page.locator("article.small").nth(1).locator(".mark.not").count() == 1
    wait_until_saved(page)


def test_a_verdict_for_what_the_map_shows_is_one_step(serve, visit):
    page = visit(serve().link)
    open_demo(page, "Two moons")
    verdicts(page, "fd")
    wait_until_saved(page)
    page.keyboard.press("m")
    page.locator("canvas").wait_for(timeout=60_000)
    tab_to(page, page.locator("canvas"))
    for _ in range(7):
        page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("v")
    if not page.locator("section[aria-label$='selected']").count():
        for _ in range(4):
            page.keyboard.press("-")
        page.keyboard.press("v")
    section = page.locator("section[aria-label$='selected']")
    section.wait_for()
    n = int(re.match(r"[\d,]+", section.get_attribute("aria-label")).group().replace(",", ""))
    press(page, section.get_by_role("button", name="Relevant"))
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Enter")
    section.wait_for(state="detached")
    wait_until_saved(page)
    labels = [event for event in log_of(page) if event["kind"] == "label"]
    assert len(labels) >= n
    page.keyboard.press("u")
    wait_until_saved(page)
    page.keyboard.press("w")
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes('2 read')")


def test_what_was_put_off_is_found_again(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    put_off = shown_row(page)
    verdicts(page, "lfd")
    wait_until_saved(page)
    assert counts(page) == (1, 2)
    tab_to(page, page.get_by_label("Mode"))
    page.keyboard.press("p")  # "put off" of the choices
    page.locator(f"article[data-row='{put_off}']").wait_for()
    assert page.locator(".entry").count() == 1
    page.keyboard.press("f")
    page.get_by_text("Nothing is left in this mode.").wait_for()
    wait_until_saved(page)
    assert counts(page) == (2, 3)


def test_a_search_result_stays_until_it_is_judged(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    page.keyboard.press("/")
    page.keyboard.type("walking")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("results? for “walking”")).wait_for()
    page.locator(".entry").first.wait_for()
    verdicts(page, "fd")
    row = shown_row(page)
    wait_until_saved(page)
    page.wait_for_timeout(1500)  # new orders come
    assert shown_row(page) == row


def test_a_refused_verdict_is_taken_back_and_said(serve, visit):
    page = visit(serve().link)
    open_demo(page)
    answers = iter([(503, "{}"), (422, json.dumps({"error": "This item is locked."}))])

    def answer(route):
        status, body = next(answers, (None, None))
        if status is None:
            return route.continue_()
        return route.fulfill(status=status, body=body, content_type="application/json")

    page.route("**/events", answer)
    verdicts(page, "f")
    page.get_by_text("Not taken: This item is locked.").wait_for()
    page.locator(".shell[data-waiting='0']").wait_for()
    assert counts(page) == (0, 0)
    verdicts(page, "d")
    wait_until_saved(page)
    assert [event["kind"] for event in log_of(page)].count("label") == 1
    visit.wrong.clear()  # the browser reports the answers 503 and 422
