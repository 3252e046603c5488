import base64
import csv
import io
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from semirank.dataset import Description
from semirank.report import write_report
from semirank.results.budget import Budget, BudgetCurve, BudgetPoint, LabelWorth
from semirank.results.comparison import Choice, Comparison, ListChange, Protocol, ShownItem
from semirank.results.result import Contrast, Interval, Result

EVIL = '<script>alert("x")</script>'


def contrast(**changes):
    given = {
        "baseline": "rankboost",
        "difference": 0.1,
        "interval": Interval(0.05, 0.15),
        "p_value": 0.01,
        "p_adjusted": 0.02,
        "test": "sign flips",
        "unit": "list",
        "n_units": 3,
        "changed": 1.0,
        "improved": 2 / 3,
        "degraded": 1 / 3,
        "deltas": (0.3, None, -0.1),
        "detectable": 0.05,
        "verdict": "helps",
    }
    return Contrast(**(given | changes))


def result(name, **changes):
    given = {
        "name": name,
        "ranker": f"{name}()",
        "settings": {"n_rounds": 100},
        "assumption": None,
        "baseline": None,
        "status": "finished",
        "place": 2,
        "values": ((0.5,), (None,), (0.7,)),
        "mean": 0.6,
        "interval": Interval(0.5, 0.7),
        "judged": 1.0,
        "precision": tuple(1 - level / 20 for level in range(11)),
        "fit_seconds": 0.25,
        "rank_seconds": 0.01,
        "peak_memory": 2**27,
    }
    return Result(**(given | changes))


def comparison(**changes):
    points = (BudgetPoint(1, None, None, "too few"), BudgetPoint(5, 0.5, Interval(0.4, 0.6)))
    semi = result(
        "semi-rankboost",
        assumption="neighbours are alike",
        baseline="rankboost",
        place=1,
        mean=0.7,
        contrast=contrast(),
        contrast_best=contrast(),
    )
    item = ShownItem("d7", 1.0, EVIL)
    given = {
        "name": EVIL,
        "data": Description(3, 30, 12, 18, 4, "10 to 10", "4 to 4", False, 0, {"0": 8, "1": 4}, ("odd",)),
        "metric": "nDCG@10",
        "greater_is_better": True,
        "protocol": Protocol("lists", "outside", 2, 16, None, "list", 3, 1, 3, 3, None, 3, 0, "ignore", 12),
        "lists": ("a", "b", "c"),
        "results": (
            semi,
            result("rankboost"),
            result(
                "slow", status="timeout", reason="took more than 5 s", place=None, mean=None, interval=None
            ),
        ),
        "best": "semi-rankboost",
        "best_supervised": "rankboost",
        "best_semi_supervised": "semi-rankboost",
        "choice": Choice("semi-rankboost", "SemiRankBoost()", "proven", "lists", contrast=contrast()),
        "verdict": "helps",
        "changes": (
            ListChange("a", 0.5, 0.8, 0.3, (item,), (ShownItem("d1", None, None), item)),
            ListChange("c", 0.7, 0.6, -0.1, (item,), (item,)),
        ),
        "budget": Budget(
            "labels in each list",
            BudgetCurve("rankboost", points),
            BudgetCurve("semi-rankboost", points),
            (LabelWorth(5, 9.0, "about"),),
        ),
        "judged_at": 10,
        "confidence": 0.95,
        "complete": True,
        "problem": None,
        "seed": 0,
        "n_jobs": 2,
        "versions": {"semirank": "0.1"},
        "date": "2026-11-16",
        "seconds": 12.0,
    }
    return Comparison(**(given | changes))


EMPTY = {
    "protocol": None,
    "results": (),
    "lists": (),
    "best": None,
    "best_supervised": None,
    "best_semi_supervised": None,
    "choice": None,
    "verdict": None,
    "changes": (),
    "budget": None,
    "complete": False,
    "problem": "No list has labels to measure.",
}


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
    assert page.tags["svg"] == 4
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
    assert text.count('tabindex="0"') == tables + 4  # what can be wider than the screen
    assert text.count('<th scope="col">') > tables
    assert text.count('role="img" aria-label="') == 4


def test_the_numbers_of_a_picture_can_be_downloaded(tmp_path):
    page = Outline(written(tmp_path, "report.html"))
    tables = [
        list(csv.DictReader(io.StringIO(base64.b64decode(link.partition(",")[2]).decode())))
        for link in page.links
        if link.startswith("data:")
    ]
    assert {"list": "a", "difference": "0.3"} in tables[1]
    assert {"list": "c", "difference": "-0.1"} in tables[1]
    assert [row["ranker"] for row in tables[0]] == ["semi-rankboost", "rankboost"]


def test_a_ranker_that_did_not_finish_has_no_figures(tmp_path):
    text = written(tmp_path, "report.md")
    [row] = [line for line in text.splitlines() if "| slow |" in line and "timeout" not in line]
    assert re.fullmatch(r"\| - \| slow \|( - \|)+ took more than 5 s \| - \| - \|", row)
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
    assert [path.name for path in files] == ["report.md", *(f"report-{n}.svg" for n in (1, 2, 3, 4))]
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
    with pytest.raises(ValueError, match=r"a report ends in \.html, \.md or \.json"):
        write_report(comparison(), tmp_path / "report.pdf")
    assert list(tmp_path.iterdir()) == []


def test_the_same_comparison_gives_the_same_file(tmp_path):
    assert written(tmp_path, "one.html") == written(tmp_path, "two.html")


def test_the_leaderboard_says_what_unlabelled_data_did_for_each_ranker(tmp_path):
    text = written(tmp_path, "report.md")
    semi = comparison().result("semi-rankboost")
    [row] = [line for line in text.splitlines() if line.startswith("| 1 | semi-rankboost |")]
    cells = [cell.strip() for cell in row.split("|")]
    assert semi.contrast.baseline in cells
    assert semi.contrast.verdict in cells
    assert f"{semi.contrast_best.difference:+.3f}" in cells
