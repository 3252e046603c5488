"""How many small faults do the tests notice?  python benchmarks/mutation.py rankers graphs --sample 40.

A fault is one changed operator, comparison, sign, number, constant or function name inside a function. Each
is made in a copy of the package, and the tests that call its function are run until one fails. What survives
is printed: it is a missing test, or no fault at all. A first run without a fault notes which test calls what.
"""

import argparse
import ast
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "semirank"
ROOMS = ("metrics", "rankers", "graphs", "features", "density_ratio", "meta")

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {
    "min": "max",
    "max": "min",
    "argmin": "argmax",
    "argmax": "argmin",
    "minimum": "maximum",
    "maximum": "minimum",
    "any": "all",
    "all": "any",
    "sum": "mean",
    "mean": "sum",
    "abs": "negative",
    "cumsum": "cumprod",
    "exp": "expm1",
    "sqrt": "square",
}
LIBRARIES = ("scipy.linalg", "sklearn.linear_model", "numba", "pandas", "hypothesis")
SLOW = ("test_docs.py",)
TOLD = ("raise", "warn", "_refuse", "_report", "_warn")  # what only makes a message


class Fault(NamedTuple):
    """A place in a file, and what it becomes."""

    path: Path
    function: int  # the line where it begins
    line: int
    before: str
    after: str
    source: str


def faults_of(path: Path) -> Iterator[Fault]:
    """Yield every fault of a file, one change each."""
    tree = ast.parse(path.read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and not _is_message(function):
            for node in _code_of(function):
                yield from _changes(path, tree, function, node)


def _is_message(function: ast.FunctionDef) -> bool:
    return function.name.startswith(TOLD) or function.name in ("__init__", "_check_state", "__sklearn_tags__")


def _code_of(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield what a function does: no docstring, annotation, message or function inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Raise, ast.FunctionDef, ast.JoinedStr)):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in TOLD:
            continue
        if isinstance(node, ast.AnnAssign):
            waiting += [node.value] if node.value else []
            continue
        yield node
        waiting += list(ast.iter_child_nodes(node))


def _changes(path: Path, tree: ast.Module, function: ast.FunctionDef, node: ast.AST) -> Iterator[Fault]:
    begins = min(each.lineno for each in (function, *function.decorator_list))
    for changed in _variants(node):
        before, lineno = ast.unparse(node), getattr(node, "lineno", 0)
        kept = dict(node.__dict__)
        node.__dict__.update(changed.__dict__)
        after, source = ast.unparse(node), ast.unparse(tree)
        node.__dict__.clear()
        node.__dict__.update(kept)
        yield Fault(path, begins, lineno, before, after, source)


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield changed copies of a node, of the same kind."""
    new = deepcopy(node)
    if isinstance(new, (ast.BinOp, ast.BoolOp)) and type(new.op) in SWAPS:
        new.op = SWAPS[type(new.op)]()
        yield new
    elif isinstance(new, ast.Compare) and type(new.ops[0]) in SWAPS:
        new.ops[0] = SWAPS[type(new.ops[0])]()
        yield new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, (ast.USub, ast.Not)):
        new.op = ast.UAdd() if isinstance(new.op, ast.USub) else ast.Not()
        new.operand = new.operand if isinstance(node.op, ast.USub) else ast.UnaryOp(ast.Not(), new.operand)
        yield new
    elif isinstance(new, ast.Constant) and type(new.value) in (int, float):
        new.value = new.value + 1 if isinstance(new.value, int) else 2.0 * new.value or 1.0
        yield new
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        new.value = not new.value
        yield new
    elif isinstance(new, ast.Attribute) and new.attr in NAMES and isinstance(new.ctx, ast.Load):
        new.attr = NAMES[new.attr]
        yield new


class Test(NamedTuple):
    """A test: its name in pytest, the functions of the package that it calls, and how long it takes."""

    name: str
    calls: frozenset[str]
    seconds: float


class Notes:
    """A plugin of pytest that notes which functions each test calls."""

    def __init__(self, copy: Path) -> None:
        self.package, self.tests = f"{copy}/semirank/", list[Test]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run a test while calls are noted."""
        called, began = set[tuple[str, int]](), time.perf_counter()

        def note(frame: Any, event: str, _: Any) -> None:
            if event == "call":
                called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

        threading.setprofile(note)
        sys.setprofile(note)
        result = yield
        sys.setprofile(None)
        threading.setprofile(None)
        ours = [(file, line) for file, line in called if file.startswith(self.package)]
        calls = frozenset(f"{file.removeprefix(self.package)}:{line}" for file, line in ours)
        self.tests.append(Test(item.nodeid, calls, time.perf_counter() - began))
        return result


class Only:
    """A plugin of pytest that keeps some tests, in their order."""

    def __init__(self, names: list[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the other tests out."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.places), key=lambda item: self.places[item.nodeid]
        )


def tests_of(fault: Fault, tests: list[Test], most: float) -> list[str]:
    """Return the tests that call the function of a fault, `most` seconds of them, the narrowest first."""
    file = f"{fault.path.relative_to(SOURCE)}:"
    function = f"{file}{fault.function}"
    callers = [test for test in tests if function in test.calls]
    if not callers:  # compiled, or called at import only
        callers = [test for test in tests if any(each.startswith(file) for each in test.calls)]
    names, left = [], most
    for test in sorted(callers, key=lambda test: len(test.calls)):
        left -= test.seconds
        if left > 0:
            names.append(test.name)
    return names


def note_calls(copy: Path, kept: Path) -> None:
    """Run all tests without a fault, and keep what each of them calls."""
    notes = Notes(copy)
    files = [
        str(file)
        for room in (*ROOMS, "core", ".")
        for file in sorted((ROOT / "tests" / room).glob("test_*.py"))
        if file.name not in SLOW
    ]
    os.dup2(2, 1)  # what fails is told
    code = _run_tests(copy, ["--maxfail=9", "--tb=short", *files], notes)
    if code == 0:
        kept.write_text(json.dumps([(test.name, sorted(test.calls), test.seconds) for test in notes.tests]))
    os._exit(code)


def survives(fault: Fault, names: list[str], copy: Path, seconds: int) -> str:
    """Make a fault in the copy and run its tests; say "noticed", "late" or "survived"."""
    if not names:
        return "survived"
    target = copy / "semirank" / fault.path.relative_to(SOURCE)
    kept = target.read_bytes(), target.stat()
    target.write_text(fault.source)
    code = in_child(lambda: _run_silently(copy, names), seconds)
    target.write_bytes(kept[0])
    os.utime(target, ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise SystemExit(f"The tests of {fault.path}:{fault.line} are no longer there: note the calls again.")
    return "late" if code is None else "survived" if code == 0 else "noticed"


def _run_silently(copy: Path, names: list[str]) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    files = sorted({name.partition("::")[0] for name in names})
    os._exit(_run_tests(copy, ["-x", *files], Only(names)))


def in_child(act: Callable[[], None], seconds: int) -> int | None:
    """Act in a child that leaves with a code; return it, or None if it takes too long."""
    child = os.fork()
    if child == 0:
        act()
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(code)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_tests(copy: Path, arguments: list[str], plugin: object) -> int:
    """Run tests against the copy, and return the code of pytest."""
    os.chdir(ROOT)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    return int(pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", *arguments], plugins=[plugin]))


def chosen(paths: list[str], sample: int, seed: int) -> list[Fault]:
    """Draw faults from rooms or files, as many from each file as it has code."""
    files = [
        file
        for name in paths
        for file in ([SOURCE / name] if name.endswith(".py") else sorted((SOURCE / name).rglob("*.py")))
        if file.name != "__init__.py"
    ]
    known = [fault for file in files for fault in faults_of(file)]
    return random.Random(seed).sample(known, min(sample, len(known)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=list(ROOMS), help="rooms or files of src/semirank")
    parser.add_argument("--sample", type=int, default=100, help="how many faults to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=300, help="time for the tests of one fault")
    parser.add_argument("--most", type=float, default=60, help="seconds of tests for one fault, as noted")
    parser.add_argument("--calls", type=Path, help="a file of calls: used where it is, kept where it is not")
    options = parser.parse_args()
    counts = {"noticed": 0, "late": 0, "survived": 0}
    for library in LIBRARIES:
        __import__(library)  # once, and not in each child
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(SOURCE, copy / "semirank", copy_function=shutil.copy2)
        faults = chosen(options.paths, options.sample, options.seed)
        calls = options.calls or copy / "calls.json"
        if not calls.exists() and in_child(lambda: note_calls(copy, calls), 3600) != 0:
            raise SystemExit("Tests fail without any fault: mend them first.")
        tests = [Test(name, frozenset(called), took) for name, called, took in json.loads(calls.read_text())]
        for number, fault in enumerate(faults, 1):
            said = survives(fault, tests_of(fault, tests, options.most), copy, options.seconds)
            counts[said] += 1
            if said != "noticed":
                where = f"{fault.path.relative_to(SOURCE)}:{fault.line}"
                print(f"{said}: {where}: {fault.before}  ->  {fault.after}", flush=True)
            print(f"{number}: {counts}", file=sys.stderr, flush=True)
    noticed = counts["noticed"] + counts["late"]
    print(f"{noticed} of {sum(counts.values())} faults were noticed ({counts['late']} by taking too long).")


if __name__ == "__main__":
    main()
