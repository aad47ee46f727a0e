"""The packages that the rest of Timbra works without: the highest layer of the import contract."""

from __future__ import annotations

from tools.layers import layers

OPTIONAL = tuple(name.removeprefix("timbra.") for name in layers()[0])
