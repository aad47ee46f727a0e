"""Which complements become nodes: by qualified name and version, how each is read."""

from __future__ import annotations

from timbra.cfdi.nodes import pagos20
from timbra.cfdi.nodes.complement import Reader

READERS: dict[tuple[str, str], Reader] = {
    (pagos20.TAG, "2.0"): pagos20.read,
}
