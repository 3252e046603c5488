"""The package from outside: its public names, its quick import, its two commands."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import semirank

ROOT = Path(__file__).resolve().parents[1]


def test_every_public_name_is_found():
    for name in semirank.__all__:
        assert getattr(semirank, name) is not None
    assert set(semirank.__all__) <= set(dir(semirank))


def test_the_table_of_names_is_what_type_checkers_read():
    stub = ast.parse(Path(semirank.__file__).with_suffix(".pyi").read_text())
    listed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert listed == set(semirank.__all__)


@pytest.mark.slow
def test_a_misspelt_name_is_an_error_for_type_checkers(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import semirank\nsemirank.AutoRanker()\nsemirank.AutoRanke()\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(script)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    assert re.findall(r"script.py:(\d+): error: .*AutoRanke", found) == ["3"], found


def test_loading_a_model_imports_only_what_it_needs(tmp_path):
    model = tmp_path / "model"
    semirank.DistanceRanking().fit([[0.0], [1.0]], [1, 0]).save(model)
    code = f"import sys, semirank; semirank.load_model({str(model)!r}); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in ran.stdout.split() if name.startswith("semirank.")}
    assert "semirank.rankers.distance" in ours
    assert not {f"semirank.{room}" for room in ("meta", "selection", "report", "rankers.rankboost")} & ours


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
