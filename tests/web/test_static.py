"""The pages themselves: small, complete, and without third-party code in the repository."""

import gzip
import re
from pathlib import Path

import pytest

import semirank.web

ROOT = Path(__file__).resolve().parents[2]
STATIC = Path(semirank.web.__file__).with_name("static")
LIMIT = 60_000
IMPORTS = re.compile(r"""^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"|^import\s+"(\.[^"]+)";""", re.MULTILINE)
MODULES = sorted(path for path in STATIC.rglob("*.js") if path.parent.name != "lib")


def imported(module):
    found = (named or bare for named, bare in IMPORTS.findall(module.read_text(encoding="utf-8")))
    return {(module.parent / name).resolve() for name in found}


def needed_to_read():
    """Follow the imports from the first module; screens that are fetched later are not among them."""
    known, new = set(), {STATIC / "main.js"}
    while new:
        known |= new
        new = set().union(*map(imported, new)) - known
    return known


def test_what_reading_needs_is_small():
    if not (STATIC / "lib" / "preact.js").exists():
        pytest.skip("the modules of npm are not here")
    files = [*needed_to_read(), STATIC / "index.html", STATIC / "app.css", *(STATIC / "lib").glob("*.js")]
    assert len(files) > 20
    assert sum(len(gzip.compress(path.read_bytes(), 6)) for path in files) < LIMIT


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_imports_lead_somewhere_and_no_text_becomes_markup(module):
    assert all(path.exists() for path in imported(module))
    text = module.read_text(encoding="utf-8")
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in text


def test_third_party_code_is_a_dependency_and_no_copy():
    assert "src/semirank/web/static/lib/" in (ROOT / ".gitignore").read_text()
    assert set(re.findall(r'"node_modules/([^"]+)"', (ROOT / "package-lock.json").read_text())) == {
        "preact",
        "htm",
    }
