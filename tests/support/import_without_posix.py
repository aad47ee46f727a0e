"""Imports every module of timbra without the modules and functions that Windows does not have; prints failures."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import traceback

from tests.support.without_posix import remove_posix

EXCLUDED = {
    "timbra.cli.__main__": "runs the program",
    "timbra.database.migrations.env": "is executed by alembic",
    "timbra.mcp.server": "the package mcp asks for the name of the platform, not for its modules",
}
"""Modules that are not imported, with the reason."""


def main() -> int:
    """Import the modules; return the number of those that failed."""
    remove_posix()
    import timbra

    failed = 0
    for module in pkgutil.walk_packages(timbra.__path__, "timbra."):
        if module.name not in EXCLUDED:
            try:
                importlib.import_module(module.name)
            except Exception:  # printed for the test
                failed += 1
                print(module.name, traceback.format_exc())
    return failed


if __name__ == "__main__":
    sys.exit(main())
