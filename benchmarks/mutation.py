"""How many small faults do the tests notice?  python benchmarks/mutation.py rankers graphs --sample 40.

A fault is one changed operator, comparison, sign, number, constant or function name inside a function. Each
is made in a copy of the package, and the tests that speak of its module are run until one fails. What
survives is printed: it is a missing test, or no fault at all.
"""

import argparse
import ast
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import NamedTuple

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
MOST_FILES = 5
LIBRARIES = ("numpy", "scipy.linalg", "sklearn.linear_model", "numba", "pandas", "hypothesis", "pytest")
SLOW = ("test_every_ranker.py", "test_docs.py")
TOLD = ("raise", "warn", "_refuse", "_report", "_warn")  # what only makes a message


class Fault(NamedTuple):
    """A place in a file, and what it becomes."""

    path: Path
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
                yield from _changes(path, tree, node)


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


def _changes(path: Path, tree: ast.Module, node: ast.AST) -> Iterator[Fault]:
    for changed in _variants(node):
        before, lineno = ast.unparse(node), getattr(node, "lineno", 0)
        kept = dict(node.__dict__)
        node.__dict__.update(changed.__dict__)
        after, source = ast.unparse(node), ast.unparse(tree)
        node.__dict__.clear()
        node.__dict__.update(kept)
        yield Fault(path, lineno, before, after, source)


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


@cache
def tests_of(path: Path) -> tuple[str, ...]:
    """Return the test files that speak of a module most, or of the modules that import it."""
    own, users = _words(path), [_words(file) for file in _importers(path)]
    room = path.relative_to(SOURCE).parts[0]
    found: dict[str, float] = {}
    for folder in (*ROOMS, "core", "."):
        for file in (ROOT / "tests" / folder).glob("test_*.py"):
            text, weight = file.read_text(), 3 if folder == room or path.stem in file.stem else 1
            score = weight * len(own.findall(text)) + 0.3 * sum(len(user.findall(text)) for user in users)
            if score and file.name not in SLOW:
                found[str(file)] = score
    return tuple(sorted(found, key=lambda name: -found[name])[:MOST_FILES]) or (str(ROOT / "tests" / room),)


def _words(path: Path) -> re.Pattern[str]:
    """Return what finds the name of a module, of its classes and of its functions."""
    tree = ast.parse(path.read_text())
    names = [each.name for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))]
    return re.compile(rf"\b({'|'.join(map(re.escape, [_dotted(path), *names]))})\b")


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)


def _importers(path: Path) -> list[Path]:
    wanted = re.compile(rf"from {re.escape(_dotted(path))} import")
    files = (file for room in ROOMS for file in sorted((SOURCE / room).rglob("*.py")))
    return [file for file in files if wanted.search(file.read_text()) and file.name != "__init__.py"]


def survives(fault: Fault, copy: Path, seconds: int) -> str:
    """Make a fault in the copy and run its tests; say "noticed", "late" or "survived"."""
    target = copy / "semirank" / fault.path.relative_to(SOURCE)
    kept = target.read_bytes(), target.stat()
    target.write_text(fault.source)
    code = run_tests(copy, tests_of(fault.path), seconds)
    target.write_bytes(kept[0])
    os.utime(target, ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))
    return "late" if code is None else "survived" if code == 0 else "noticed"


def run_tests(copy: Path, tests: Sequence[str], seconds: int) -> int | None:
    """Run tests against the copy in a child; return 0 if all pass, None if they take too long."""
    child = os.fork()
    if child == 0:
        _run_tests(copy, tests)
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(code)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _run_tests(copy: Path, tests: Sequence[str]) -> None:
    """Run tests against the copy, silently, and leave the process."""
    os.chdir(ROOT)
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    import pytest

    code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])
    os._exit(0 if code == 0 else 1)


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
    parser.add_argument("--seconds", type=int, default=180, help="time for the tests of one fault")
    parser.add_argument("--trust", action="store_true", help="do not first run the tests without a fault")
    options = parser.parse_args()
    counts = {"noticed": 0, "late": 0, "survived": 0}
    for library in (
        "numpy",
        "scipy.linalg",
        "sklearn.linear_model",
        "numba",
        "pandas",
        "hypothesis",
        "pytest",
    ):
        __import__(library)  # once, and not in each child
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(SOURCE, copy / "semirank", copy_function=shutil.copy2)
        faults = chosen(options.paths, options.sample, options.seed)
        every_test = sorted({test for fault in faults for test in tests_of(fault.path)})
        if not options.trust and run_tests(copy, every_test, 3600) != 0:
            raise SystemExit("Tests fail without any fault: mend them first.")
        for number, fault in enumerate(faults, 1):
            said = survives(fault, copy, options.seconds)
            counts[said] += 1
            if said != "noticed":
                where = f"{fault.path.relative_to(SOURCE)}:{fault.line}"
                print(f"{said}: {where}: {fault.before}  ->  {fault.after}", flush=True)
            print(f"{number}: {counts}", file=sys.stderr, flush=True)
    noticed = counts["noticed"] + counts["late"]
    print(f"{noticed} of {sum(counts.values())} faults were noticed ({counts['late']} by taking too long).")


if __name__ == "__main__":
    main()
