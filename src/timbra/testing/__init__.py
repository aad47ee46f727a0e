"""A local PAC for the tests of other programs: a sandbox server as a process, and its controls as Python objects.

with running_sandbox() as sandbox:
    client = MyInvoicing(url=sandbox.url, token=sandbox.token)
    client.invoice(...)
    assert sandbox.stamps()[0].uuid == ...

`timbra.pytest_plugin` has it as fixtures of pytest.
"""

from __future__ import annotations

from timbra.testing.controls import ActiveFault, FaultControl, SandboxClock
from timbra.testing.sandbox import Credential, Sandbox, SandboxError, StoredStamp
from timbra.testing.server import running_sandbox, sandbox_at

__all__ = [
    "ActiveFault",
    "Credential",
    "FaultControl",
    "Sandbox",
    "SandboxClock",
    "SandboxError",
    "StoredStamp",
    "running_sandbox",
    "sandbox_at",
]
