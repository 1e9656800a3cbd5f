"""Build hook: write the chart library of the report page, which wheels and editable installs contain.

The script is made from the packages altair and vl-convert at build time. It is not in the repository.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "src/labelferry/report/vega.py"


class ChartLibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Write the script and declare it as a file of the build, since git ignores it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run before every build; `version` is "editable" for editable installs."""
        vega = runpy.run_path(str(Path(self.root) / MODULE))
        path: Path = vega["PATH"]
        path.write_text(vega["make_chart_library"](), encoding="utf-8", newline="\n")
        build_data["artifacts"].append(path.relative_to(self.root).as_posix())
