"""Which complements become nodes: by qualified name and version, how each is read."""

from __future__ import annotations

from timbra.cfdi.nodes import nomina12, pagos10, pagos20
from timbra.cfdi.nodes.complement import Reader

READERS: dict[tuple[str, str], Reader] = {
    (nomina12.TAG, "1.2"): nomina12.read,
    (pagos10.TAG, "1.0"): pagos10.read,
    (pagos20.TAG, "2.0"): pagos20.read,
}
