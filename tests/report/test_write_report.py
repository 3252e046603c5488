import base64
import csv
import io
import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from tests.comparisons import EMPTY, EVIL, comparison, contrast, result

from semirank.report import write_report
from semirank.results.comparison import Comparison

PICTURES, LISTS = 6, 3  # answer, means, gains, lists, budgets, precision and recall


class Outline(HTMLParser):
    """Check that every tag is closed where it must be, and collect names, links and texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.texts = [], [], [], Counter(), []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags[tag] += 1
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [value for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def written(tmp_path, name, **changes):
    [path, *_] = write_report(comparison(**changes), tmp_path / name)
    return path.read_text(encoding="utf-8")


def test_html_is_whole_and_needs_no_network(tmp_path):
    text = written(tmp_path, "report.html")
    page = Outline(text)
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith(("#", "data:text/csv;base64,")) for link in page.links)
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert page.tags["svg"] == 2 * PICTURES  # for a desk and for a phone
    assert page.tags["script"] == 0
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_nothing_from_the_data_becomes_markup(tmp_path):
    text = written(tmp_path, "report.html")
    assert EVIL not in text
    assert "&lt;script&gt;" in text


def test_tables_have_captions_and_headers_and_can_be_scrolled_by_keyboard(tmp_path):
    text = written(tmp_path, "report.html")
    tables = text.count("<table>")
    assert tables == text.count("<caption>") == text.count('role="region"')
    assert text.count('tabindex="0"') == tables  # what can be wider than the screen
    assert text.count('<th scope="col">') > tables
    assert text.count('role="img" aria-label="') == 2 * PICTURES


def test_the_numbers_of_a_picture_can_be_downloaded(tmp_path):
    page = Outline(written(tmp_path, "report.html"))
    tables = [
        list(csv.DictReader(io.StringIO(base64.b64decode(link.partition(",")[2]).decode())))
        for link in page.links
        if link.startswith("data:")
    ]
    assert {"list": "a", "difference": "0.3"} in tables[LISTS]
    assert {"list": "c", "difference": "-0.1"} in tables[LISTS]
    assert [row["ranker"] for row in tables[0]] == ["semi-rankboost", "rankboost"]


def test_one_list_has_an_interval_and_no_bar(tmp_path):
    one = contrast(deltas=(0.3,), unit="draw")
    semi = result(
        "semi-rankboost", assumption="x", baseline="rankboost", place=1, contrast=one, contrast_best=one
    )
    text = written(tmp_path, "report.md", lists=("a",), results=(semi, result("rankboost")))
    assert "difference on each list" not in text
    assert "against itself on labels alone; right of 0 is better" in text


def test_the_first_screen_says_what_to_do(tmp_path):
    text = written(tmp_path, "report.html", command="semirank rank d.csv --ranker semi-rankboost")
    first = text[text.index('<section class="answer"') : text.index("</section>")]
    for words in (
        "Use “semi-rankboost”: unlabelled items help.",
        "nDCG@10 0.700",
        "0.500 to 0.700 with 95 % confidence",
        "The order of the first 10 items is worth 70% of the best possible one.",
        "semirank rank d.csv --ranker semi-rankboost",
        "slow is not ranked (timeout)",
    ):
        assert words in first
    assert text.index(first) < text.index("<nav")
    assert first.count("<svg") == 2


def test_rankers_are_called_by_words_with_their_spelling_at_hand(tmp_path):
    name = {"words": "manifold ranking, 5 neighbours", "ranker": "ManifoldRanking(n_neighbors=5)"}
    semi = result("semi-rankboost", **name)
    text = written(tmp_path, "report.html", results=(semi, result("rankboost")))
    cell = '<td data-column="ranker" class=name title="ManifoldRanking(n_neighbors=5)">'
    assert f"{cell}manifold ranking, 5 neighbours <code>semi-rankboost</code></td>" in text
    twice = (result("graph", **name), result("other", **name))
    assert comparison(results=twice).titles == {"graph": "manifold ranking, 5 neighbours", "other": "other"}


def test_a_ranker_that_did_not_finish_has_no_figures(tmp_path):
    text = written(tmp_path, "report.md")
    [row] = [line for line in text.splitlines() if "| slow |" in line]
    assert re.fullmatch(r"\| - \| slow \|( - \|)+ took more than 5 s \|", row)
    assert "nan" not in text.lower()


def test_what_was_found_stands_in_words(tmp_path):
    for name in ("report.html", "report.md"):
        text = written(tmp_path, name)
        for words in (
            "Unlabelled data helps: nDCG@10 +0.100, semi-rankboost against rankboost",
            "Use semi-rankboost: it uses unlabelled items, which helps",
            "With 5 labels in each list: rankboost needs about 9 for the same nDCG@10.",
            "slow is not ranked (timeout): took more than 5 s",
            "16 of 18 items that remain to be ranked stand in lists without any label.",
        ):
            assert words in text
        assert "improved: nDCG@10 from 0.500 to 0.800" in text
        assert "degraded: nDCG@10 from 0.700 to 0.600" in text


def test_markdown_has_its_pictures_beside_it(tmp_path):
    files = write_report(comparison(), tmp_path / "report.md")
    assert [path.name for path in files] == [
        "report.md",
        *(f"report-{n}.svg" for n in range(1, PICTURES + 1)),
    ]
    for path in files[1:]:
        assert f"]({path.name})" in files[0].read_text(encoding="utf-8")
        assert "</svg>" in path.read_text(encoding="utf-8")


def test_json_can_be_read_back(tmp_path):
    assert Comparison.from_json(written(tmp_path, "report.json")) == comparison()


@pytest.mark.parametrize("name", ["report.html", "report.md", "report.json"])
def test_nothing_to_measure_gives_a_report_that_says_so(tmp_path, name):
    text = written(tmp_path, name, **EMPTY)
    assert "No list has labels to measure." in text
    assert "nan" not in text.lower()


def test_an_unknown_kind_of_report_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"a report ends in \.html, \.md, \.json, \.csv or \.tex"):
        write_report(comparison(), tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_the_same_comparison_gives_the_same_file(tmp_path):
    assert written(tmp_path, "one.html") == written(tmp_path, "two.html")


def test_the_leaderboard_says_what_unlabelled_data_did_for_each_ranker(tmp_path):
    text = written(tmp_path, "report.md")
    semi = comparison().result("semi-rankboost")
    [row] = [line for line in text.splitlines() if line.startswith("| 1 | semi-rankboost |")]
    cells = [cell.strip() for cell in row.split("|")]
    assert semi.contrast.verdict in cells
    assert f"{semi.contrast.difference:+.3f}" in cells
