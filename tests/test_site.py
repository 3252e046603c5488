"""The site is complete before it is built: every public name has an entry, every example a title."""

import ast
import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer.main

import semirank
from semirank.cli import app

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = sorted(ROOT.glob("docs/reference/*.rst"))
EXAMPLES = sorted(ROOT.glob("examples/*/*.py"))
PAGES = sorted(path for path in ROOT.glob("docs/**/*.md") if "gallery" not in path.parts)
ROOMS = sorted(
    name
    for name in semirank.__all__
    if hasattr(getattr(semirank, name), "__path__")
    or name in ("checks", "files", "kernels", "limits", "registry", "storage")
)


def entries():
    """Give the full name of everything that the reference lists."""
    for page in REFERENCE:
        module = None
        for line in page.read_text().splitlines():
            if found := re.match(r"\.\. (?:currentmodule|automodule):: (\S+)", line):
                module = found[1]
                yield module
            elif found := re.match(r"   ([\w.]+)$|\.\. py:data:: (\w+)", line):
                name = found[1] or found[2]
                yield name if name.startswith("semirank") else f"{module}.{name}"


def public_names():
    """Give every public name, by the shortest way to it."""
    top = [name for name in semirank.__all__ if name not in ROOMS]
    yield from (f"semirank.{name}" for name in top)
    for room in ROOMS:
        module = importlib.import_module(f"semirank.{room}")
        names = getattr(module, "__all__", None) or own_names(module)
        yield from (f"semirank.{room}.{name}" for name in names if name not in top)


def own_names(module):
    """Return the functions and classes that a module defines, without private ones and single checks."""
    tree = ast.parse(Path(module.__file__).read_text())
    names = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return [
        name
        for name in names
        if not re.match(r"_|check_(?!ranker)", name) or module.__name__ == "semirank.limits"
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_a_page_of_the_reference(room):
    assert f".. automodule:: semirank.{room}\n" in (ROOT / "docs" / "reference" / f"{room}.rst").read_text()


def test_every_public_name_has_an_entry_in_the_reference():
    submodules = {"semirank.readers.datasets", "semirank.results.sentences"}  # whose functions have entries
    missing = set(public_names()) - submodules - set(entries())
    assert not missing, f"add to a page of docs/reference: {sorted(missing)}"


def test_the_reference_has_no_entry_without_a_name():
    for entry in entries():
        found = semirank
        for part in entry.split(".")[1:]:
            found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_title_a_reason_and_a_picture(example):
    text = example.read_text()
    title, line, empty, *why = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert empty == ""
    assert " ".join(why).strip()
    assert "# %%" in text
    assert "plt.show()" in text


def test_the_gallery_has_fifteen_examples_and_needs_no_data_of_others():
    assert len(EXAMPLES) >= 15
    for example in EXAMPLES:
        named = re.findall(r'\bload\("([\w-]+)"', example.read_text())
        assert set(named) <= {"digits", "moons"}


def test_every_page_can_be_reached():
    linked = set()
    for page in [*PAGES, ROOT / "README.md"]:
        targets = re.findall(r"\]\(([^)#:]+\.md)\)", page.read_text())
        linked |= {(page.parent / target).resolve() for target in targets}
    landing = {
        ROOT / "docs" / f"{name}.md" for name in ("index", "guides/index", "methods/index", "results/index")
    }
    alone = set(PAGES) - linked - landing - {ROOT / "docs" / "about" / "index.md"}
    assert alone == set()


@pytest.mark.parametrize(
    "journey", ["guides/screening", "guides/search", "guides/vectors", "results/index", "start"]
)
def test_the_landing_page_has_a_card_for_every_journey(journey):
    assert f":link: {journey}\n" in (ROOT / "docs" / "index.md").read_text()


def command_lines():
    """Give every line of a page that calls semirank, with the page."""
    for page in [*PAGES, ROOT / "README.md"]:
        for line in page.read_text().splitlines():
            if found := re.match(r"(?:    )?(?:.*&& )?(semirank [^`#|]*?)(?: +#.*| > .*)?$", line):
                yield pytest.param(found[1], id=f"{page.stem}: {found[1][:60]}")


@pytest.mark.parametrize("line", list(command_lines()))
def test_every_command_line_of_a_page_is_one(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    read_command(line)


def read_command(line):
    """Let the command line read its arguments, without running anything."""
    group = typer.main.get_command(app)
    context = group.make_context("semirank", shlex.split(line)[1:2])
    found, rest = group, shlex.split(line)[1:]
    while hasattr(found, "commands"):
        name, *rest = rest
        found = found.commands[name]
    found.make_context(found.name, rest, parent=context)


def check_of_built_sites():
    place = importlib.util.spec_from_file_location("site_check", ROOT / ".ci" / "site.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module.faults


def test_the_check_of_a_built_site_finds_what_is_wrong(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"></p><a href="b.html#there">b</a><img src="b.png">')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here">a</a><script src="https://cdn.example/x.js"></script>'
    )
    (tmp_path / "s.css").write_text("@font-face { src: url(https://fonts.example/f.woff2) }")
    assert sorted(check_of_built_sites()(tmp_path)) == [
        "a.html links to b.html#there, where nothing has that name",
        "a.html links to b.png, which is not there",
        "b.html loads https://cdn.example/x.js",
        "s.css loads from url(http",
    ]


def test_badges_are_true():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = [
        line.rsplit(" ", 1)[1] for line in project["classifiers"] if re.search(r"Python :: 3\.\d", line)
    ]
    assert " | ".join(versions) in (ROOT / "docs" / "badges" / "python.svg").read_text()
    assert project["license"] in (ROOT / "docs" / "badges" / "licence.svg").read_text()
