"""Build hook: the wheel and the source distribution contain the snapshot of the SAT's data.

A native extension is compiled here too, once there is one: `build_data["artifacts"]` takes its files, and
`build_data["infer_tag"] = True` gives the wheel the tag of the platform.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MANIFEST = Path("src", "timbra", "sat_data", "manifest.json")


class SnapshotHook(BuildHookInterface[Any]):
    """Stops a build without the snapshot; an editable install does without, because it comes before the snapshot."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (signature of hatchling)
        """Check the folder before hatchling collects files.

        Args:
            version: `editable` for an editable install, else `standard`.
            build_data: What hatchling is going to do; unchanged.

        Raises:
            SystemExit: The folder has no snapshot.
        """
        if version != "editable" and not Path(self.root, MANIFEST).is_file():
            raise SystemExit("The snapshot of the SAT's data is missing; make it with: make setup")
