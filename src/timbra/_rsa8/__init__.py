"""Eight RSA-2048 signatures at once, on processors with AVX-512 IFMA. See docs/native.md.

`load_batches` decides once for each process whether they are used; `TIMBRA_RSA8` directs it.
"""

from __future__ import annotations

import os
from functools import lru_cache
from types import ModuleType

VARIABLE = "TIMBRA_RSA8"
MODES = ("auto", "0", "1")


@lru_cache(maxsize=1)
def load_batches() -> tuple[ModuleType | None, str]:
    """Import the compiled module when this process can use it.

    Returns:
        The module `timbra._rsa8.crt` with an empty text, or None with the reason.

    Raises:
        ValueError: `TIMBRA_RSA8` has another value than `auto`, `0` and `1`.
        ImportError: It is `1`, and the module is not installed or the processor does not have the instructions.
    """
    mode = os.environ.get(VARIABLE, "") or "auto"
    if mode not in MODES:
        raise ValueError(f"{VARIABLE} is {mode!r}; it must be one of {', '.join(MODES)}")
    if mode == "0":
        return None, f"{VARIABLE} is 0"
    module, reason = _import_compiled()
    if mode == "1" and module is None:
        raise ImportError(f"{VARIABLE} is 1, but {reason}")
    return module, reason


def _import_compiled() -> tuple[ModuleType | None, str]:
    try:
        from timbra._rsa8 import crt
    except ImportError:
        return None, "the package was installed without batched signatures"
    if not crt.is_supported():
        return None, "the processor has no AVX-512 IFMA"
    return crt, ""
