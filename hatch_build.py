"""Put what the pages of `semirank serve` import into the package: `preact` and `htm`, by npm.

A clone without npm, or without a network, installs as a library, and `semirank serve` says what is missing.
``SEMIRANK_RELEASE=1`` makes that an error. A source distribution brings the modules along and needs no npm.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = Path("src/semirank/web/static/lib")
NAMED = ("package.json", "package-lock.json")
MODULES = {
    "preact.js": "preact/dist/preact.mjs",
    "hooks.js": "preact/hooks/dist/hooks.mjs",
    "htm.js": "htm/dist/htm.mjs",
    "preact.LICENSE": "preact/LICENSE",
    "htm.LICENSE": "htm/LICENSE",
}
INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=10000"]
SECONDS = 30


class Modules(BuildHookInterface):
    """Before anything is built: the modules of the lock file, once."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch the modules, unless those of this lock file are there."""
        root = Path(self.root)
        kept = root / LIBRARY / "package-lock.json"
        if kept.exists() and kept.read_bytes() == (root / "package-lock.json").read_bytes():
            return
        try:
            fetch(root)
        except (OSError, subprocess.SubprocessError) as error:
            if os.environ.get("SEMIRANK_RELEASE") == "1":
                raise RuntimeError(f"npm did not bring the modules of the pages: {error}") from error


def fetch(root: Path) -> None:
    """Copy the modules and their licences from what npm installs beside the clone; the lock file last."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("there is no npm")
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMED:
            shutil.copy(root / name, folder)
        subprocess.run([npm, *INSTALL], cwd=folder, check=True, capture_output=True, timeout=SECONDS)
        (root / LIBRARY).mkdir(parents=True, exist_ok=True)
        for name, module in MODULES.items():
            shutil.copyfile(Path(folder, "node_modules", module), root / LIBRARY / name)
    shutil.copyfile(root / "package-lock.json", root / LIBRARY / "package-lock.json")
