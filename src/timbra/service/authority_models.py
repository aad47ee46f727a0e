"""Values of the tax authority that services return and the edges render."""

from __future__ import annotations

from timbra.authority.port import CfdiParties, FiscalStatus, StatusQuery

__all__ = ["CfdiParties", "FiscalStatus", "StatusQuery"]
