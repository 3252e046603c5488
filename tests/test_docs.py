"""The documentation is complete and its examples run."""

import doctest
import re
from pathlib import Path

import pytest
import typer.main

from semirank.cli import app
from semirank.learned import describe_table
from semirank.registry import model_classes, ranker_class, ranker_names

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    + [page for folder in ("docs", "docs/guides", "docs/methods") for page in ROOT.glob(f"{folder}/*.md")]
)
HEADINGS = ["Idea", "Formula", "When it helps and when it hurts", "Example", "Cost", "Source"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)  # what an example writes is gone afterwards
    failures, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_python_is_an_example_that_runs(page):
    blocks = re.findall(r"```py(?:thon)?\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert all(block.startswith(">>> ") for block in blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", ranker_names())
def test_every_ranker_has_a_page_in_six_parts_and_an_example(name):
    page = ROOT / "docs" / "methods" / f"{name}.md"
    assert re.findall(r"^## (.*)$", page.read_text(), flags=re.MULTILINE) == HEADINGS
    assert ">>>" in ranker_class(name).__doc__


def commands():
    for name, command in typer.main.get_command(app).commands.items():
        for inner in getattr(command, "commands", {None: command}):
            yield f"{name} {inner}" if inner else name


@pytest.mark.parametrize("command", list(commands()))
def test_every_command_is_documented(command):
    assert f"## semirank {command}\n" in (ROOT / "docs" / "cli.md").read_text()


@pytest.mark.parametrize("command", list(commands()))
def test_every_option_has_a_help_text(command):
    found = typer.main.get_command(app)
    for part in command.split():
        found = found.commands[part]
    assert found.help
    assert all(parameter.help for parameter in found.params)


FIGURE = re.compile(r"(?<![\w.=])\d+\.\d+(?![\w.]*\d)")


def passages(text):
    """Give every paragraph, point of a list, or table with the sentence above it, that links to results."""
    parts = re.split(r"\n\n|\n(?=- )", text)
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        part = f"{part}\n{after}" if part.rstrip().endswith(":") and after.startswith("|") else part
        pages = re.findall(r"\]\(\.\./results/([\w-]+\.md)\)", part)
        if pages:
            yield re.sub(r"`[^`]*`|= \S+", "", part), pages


def is_on(figure, page):
    """Tell whether a number of a page rounds to the figure."""
    digits = len(figure.partition(".")[2])
    written = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", page))
    return any(f"{float(number):.{digits}f}" == figure for number in written)


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/methods/*.md")), ids=lambda page: page.name)
def test_quoted_figures_are_those_of_the_results(page):
    for passage, names in passages(page.read_text()):
        results = "\n".join((ROOT / "docs" / "results" / name).read_text() for name in names)
        for figure in FIGURE.findall(passage):
            assert is_on(figure, results), f"{figure} is not on {' or '.join(names)}"


def test_a_figure_that_is_not_on_the_page_is_noticed():
    passage = "It reaches 98.3 % ([digits](../results/optdigits.md)) with `alpha=0.7`.\n\nNot 5.5."
    [(text, [name])] = passages(passage)
    assert name == "optdigits.md"
    assert FIGURE.findall(text) == ["98.3"]
    assert is_on("98.3", "| 98.27 ± 1.8 |")
    assert not is_on("98.3", "| 97.9 ± 1.8 |")


def model_files_page() -> str:
    """Return the page of model files; ``python -m tests.test_docs`` writes it."""
    kinds = model_classes()
    start = (ROOT / "docs" / "model-files.md").read_text().partition(f"\n## {min(kinds)}\n")[0]
    parts = [
        "\n".join([f"## {name}\n", "| attribute | what it is |", "|---|---|", *describe_table(kinds[name])])
        for name in sorted(kinds)
    ]
    return "\n\n".join([start.rstrip(), *parts]) + "\n"


def test_what_a_model_file_holds_is_documented_as_it_is_checked():
    assert (ROOT / "docs" / "model-files.md").read_text() == model_files_page()


if __name__ == "__main__":
    (ROOT / "docs" / "model-files.md").write_text(model_files_page())
