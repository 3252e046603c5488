"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
for need in project["dependencies"] + project["optional-dependencies"]["arrow"]:
    print(need.replace(">=", "=="))
