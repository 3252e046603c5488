"""The build: the modules of the pages by npm, and a library without a word where there is none."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path):
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def build(clone, monkeypatch, npm=None):
    """Run the hook of the build with this script as npm, or with none."""
    found = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    folder = clone / "bin"
    folder.mkdir(exist_ok=True)
    if npm is not None:
        (folder / "npm").write_text(f"#!/bin/sh\n{npm}\n")
        (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin:/usr/bin" if npm else str(folder))
    hook = module.Modules(str(clone), {}, None, None, str(clone), "wheel")
    hook.initialize("standard", {})
    return clone / module.LIBRARY


def made(library):
    return sorted(path.name for path in library.glob("*")) if library.exists() else []


WORKS = """
for path in preact/dist/preact.mjs preact/hooks/dist/hooks.mjs htm/dist/htm.mjs preact/LICENSE htm/LICENSE
do mkdir -p "node_modules/$(dirname $path)"; echo "$path" > "node_modules/$path"
done
"""


def test_without_npm_or_network_a_library_is_built(clone, monkeypatch, capfd):
    monkeypatch.delenv("SEMIRANK_RELEASE", raising=False)
    assert made(build(clone, monkeypatch)) == []
    assert made(build(clone, monkeypatch, npm="echo no network >&2; exit 1")) == []
    assert capfd.readouterr() == ("", "")


def test_a_release_needs_the_modules(clone, monkeypatch):
    monkeypatch.setenv("SEMIRANK_RELEASE", "1")
    with pytest.raises(RuntimeError, match="npm did not bring"):
        build(clone, monkeypatch)


def test_npm_is_asked_once_for_each_lock_file(clone, monkeypatch):
    library = build(clone, monkeypatch, npm=WORKS)
    assert made(library) == [
        "hooks.js",
        "htm.LICENSE",
        "htm.js",
        "package-lock.json",
        "preact.LICENSE",
        "preact.js",
    ]
    monkeypatch.setenv("SEMIRANK_RELEASE", "1")
    build(clone, monkeypatch, npm="exit 1")  # not asked: a source distribution brings them along
    (clone / "package-lock.json").write_text("{}")
    with pytest.raises(RuntimeError):
        build(clone, monkeypatch, npm="exit 1")


def test_npm_does_not_hang_a_build(clone, monkeypatch):
    monkeypatch.delenv("SEMIRANK_RELEASE", raising=False)

    def hangs(command, **options):
        assert options["timeout"] <= 60
        assert "--fetch-retries=0" in command
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", hangs)
    assert made(build(clone, monkeypatch, npm="sleep 600")) == []
