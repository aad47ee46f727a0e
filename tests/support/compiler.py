"""The C compiler with which Python builds extensions."""

from __future__ import annotations

import os
import shutil
import sysconfig


def has_compiler() -> bool:
    """Whether the C compiler of this Python is installed."""
    command = (os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")).split()
    return shutil.which(command[0]) is not None
