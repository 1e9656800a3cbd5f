"""The build hook: a wheel contains the list of its software (PEP 770) if `make dist` has written it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SBOM = "release/labelferry.cdx.json"  # written by sbom.py; not in git


class SbomHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the list to `dist-info/sboms` of a wheel. An install from a clone needs none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built."""
        if (Path(self.root) / SBOM).exists():
            build_data["sbom_files"].append(SBOM)
