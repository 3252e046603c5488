"""Messages name options as they are written where the user is."""

import ast
import re
from pathlib import Path

import pytest
import typer.main

import semirank
from semirank.cli import app
from semirank.cli.spelling import as_typed
from semirank.spelling import option, spelled

ROOT = Path(semirank.__file__).parent
PYTHON_ONLY = {  # what no command reaches, or what speaks of Python itself
    "cli", "experiments", "web", "checks.py", "engines", "graphs/connected.py", "graphs/knn.py",
    "rankers/_base.py", "rankers/estimator.py", "rankers/in_parts.py", "rankers/kernel_ranker.py",
    "rankers/rankboost.py", "readers/letor.py",
    "dataset/ranking_dataset.py",
}  # fmt: skip
ARGUMENT = re.compile(r"(?<![\w(])[a-z]\w*=(?![=\s])|(?<!semirank convert )--[a-z]")


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in PYTHON_ONLY and name.split("/")[0] not in PYTHON_ONLY:
            yield pytest.param(path, id=name)


def words_of(node):
    return [
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def said(tree):
    """Give the words of every error and warning."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from words_of(node.exc)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "warn":
            yield from words_of(node)


@pytest.mark.parametrize("path", list(modules()))
def test_messages_leave_the_spelling_of_options_to_whoever_speaks(path):
    found = [words for words in said(ast.parse(path.read_text())) if ARGUMENT.search(words)]
    assert found == []


def options_named():
    names = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option" and node.args:
                first = node.args[0]
                names |= {first.value} if isinstance(first, ast.Constant) else set()
    return sorted(names)


def command_words():
    found = {}
    for name, command in typer.main.get_command(app).commands.items():
        for inner in getattr(command, "commands", {name: command}).values():
            found.setdefault(name, set()).update(word for each in inner.params for word in each.opts)
    return found


@pytest.mark.parametrize("name", options_named())
def test_every_option_that_a_message_names_can_be_typed_in_some_command(name):
    known = command_words()
    limits = set().union(
        *(semirank.registry.ranker_class(each).limits for each in semirank.registry.ranker_names())
    )
    typed = [as_typed(name, words=words - {"--set"}) for words in known.values()]
    spoken = [each for each in typed if each is not None]
    if not spoken:
        assert name in limits | {"stemmer"}
        assert as_typed(name, 1, words={"--set"}) == f"--set {name}=1"
        return
    everything = set().union(*known.values())
    assert all(word in everything for each in spoken for word in each.split(" or "))


def test_a_spelling_holds_inside_its_block_only():
    with spelled(lambda name, *value: f"<{name}>"), spelled(lambda name, *value: None):
        assert option("drop", ["a"]) == "drop=['a']"
    assert option("drop", ["a"]) == "drop=['a']"
