"""The package from outside: its public names, its quick import, its two commands."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import semirank

ROOT = Path(__file__).resolve().parents[1]


def test_every_public_name_is_found():
    for name in semirank.__all__:
        assert getattr(semirank, name) is not None
    assert set(semirank.__all__) <= set(dir(semirank))


def test_the_names_for_type_checkers_are_the_names_at_run_time():
    tree = ast.parse(Path(semirank.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    for_checkers = {alias.name: node.module for node in block.body for alias in node.names}
    assert for_checkers == {name: f"semirank.{home}" for name, home in semirank._HOMES.items()}
    assert sorted(for_checkers, key=lambda name: (name.lower(), name)) == sorted(
        semirank.__all__, key=lambda name: (name.lower(), name)
    )


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(semirank, "RankNothing")


def test_importing_the_package_imports_nothing_heavy():
    heavy = "numba", "sklearn", "scipy", "matplotlib"
    code = f"import sys, semirank; print(*sorted({set(heavy)} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "\n"
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nsys.argv = ['semirank', '--help']\nfrom semirank.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sorted(m for m in ('numba', 'sklearn', 'matplotlib') if m in sys.modules), file=sys.stderr)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
        == "\n"
    )


def test_the_readme_has_exactly_two_commands_and_fits_on_a_screen():
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"```sh\n(.*?)```", readme, flags=re.DOTALL)
    assert [command.count("\n") for command in commands] == [1, 1]
    assert commands[1] == 'pip install -e ".[test]" && pytest\n'
    assert len(readme.splitlines()) <= 50


def test_the_version_stands_in_one_place():
    version = semirank.__version__
    holders = [
        path
        for pattern in ("src/**/*.py", "*.toml", "*.cff", "docs/*.md", "README.md")
        for path in ROOT.glob(pattern)
        if re.search(rf"version\s*[:=]\s*[\"']?{re.escape(version)}", path.read_text())
    ]
    assert holders == [ROOT / "pyproject.toml"]
