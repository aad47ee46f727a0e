"""The console script `timbra`: `--version` alone is answered without the tree of commands, whose import is slow."""

from __future__ import annotations

import gc
import os
import sys

from timbra.console.language import activate, choose_language, split_option
from timbra.core.lean_imports import skip_pydantic_plugins

VERSION_OPTION = ["--version"]


def run() -> None:
    """Run the command line of this process."""
    options, others = split_option(sys.argv[1:])
    if others == VERSION_OPTION and len(options) != 1:
        import locale

        from timbra.console.version import versions

        activate(choose_language(sys.argv[1:], os.environ, locale.getlocale()[0]))
        for line in versions():
            print(line)
        return
    skip_pydantic_plugins()
    # The modules leave no garbage in cycles; searching for it is a tenth of the time of their import.
    gc.disable()
    from timbra.cli.main import run as run_command

    gc.freeze()
    gc.enable()
    run_command()
