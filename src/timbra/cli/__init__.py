"""The command line.

This module runs before every other one of the command line. It parses on every Python since 2.7, so that an unsupported
version gives one sentence instead of a syntax error of another module.
"""

import sys

OLDEST_PYTHON = (3, 11)
NEWEST_PYTHON = (3, 14)


def check_python(version):  # type: (tuple[int, int]) -> None
    """Exit with one sentence when the version of Python is not supported.

    Args:
        version: major and minor version.
    """
    if not OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        sys.exit("Timbra needs Python 3.11 to 3.14; this is Python %d.%d." % version)  # noqa: UP031


check_python(sys.version_info[:2])
