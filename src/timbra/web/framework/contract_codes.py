"""Codes of the vendor's contract for errors that only Timbra names.

Clients of the vendor's operations parse the code at the beginning of `message`. A code of Timbra in lower case without
literal text is therefore replaced there, and its sentence moves to `messageDetail`. Timbra's own operations keep it.
"""

from __future__ import annotations

from timbra.core.errors import ServiceError
from timbra.messages.codes import FAILED
from timbra.web.framework.operation import Operation
from timbra.web.public_errors import to_coded_error

OWN_TAGS = frozenset({"stamps", "service", "sandbox"})
"""Tags of the operations that the vendor does not have."""
AUTHORITY_DOWN = "authority-down"

CODES_BY_TAG: dict[str, str] = {
    "cancellation": "cancel-failed",
    "certificates": "certificates",
    "lists": "lookup-failed",
    "management": "AU1004",
}
"""The contract's code for all other failures of a group of operations; `FAILED` for groups that are not listed."""


def to_contract_error(error: ServiceError, operation: Operation | None) -> ServiceError:
    """Return the error as the clients of an operation expect it.

    Args:
        error: A public error, see `timbra.web.framework.error_responses.to_public_error`.
        operation: The operation of the request; None before routing.

    Returns:
        The error itself, or one with a code of the contract and the sentence of the original code as its detail.
    """
    if operation is None or operation.tag in OWN_TAGS:
        return error
    is_down = error.code == AUTHORITY_DOWN
    return to_coded_error(error, operation.authority_down_code if is_down else CODES_BY_TAG.get(operation.tag, FAILED))
