"""The scope that a token needs for an operation."""

from __future__ import annotations

from typing import Final

from timbra.core.scopes import CANCEL, MANAGE, READ, STAMP
from timbra.web.framework.operation import Operation, OperationAccess

BY_TAG = {"stamping": STAMP, "mail": STAMP, "batches": STAMP, "cancellation": CANCEL}
"""Scopes of the groups of operations that change documents; the others read, or manage what the account stores."""
MANAGING_TAGS = frozenset({"certificates", "received", "reconciliations", "sandbox", "webhooks"})
EVERY_SCOPE: Final = "all"
"""What an operation asks for that could give more scopes than a token has; no token with scopes has it."""
USERS_TAG = "users"
"""The group of the users of an account: a client that creates one, or sets a password, could act as that user."""
READING_NAMES = ("pendings", "relations-", "batches-list", "batches-read")
"""Beginnings of the names of operations in a group of another scope that read only."""

MANAGING_NAMES = ("pdf-branding-",)
"""Beginnings of the names of operations in a reading group that change what the account stores."""


def scope_of(operation: Operation) -> str | None:
    """Return the scope that a token needs; None for an operation without an account."""
    if operation.access is OperationAccess.ADMINISTRATOR:
        return MANAGE
    if operation.access is not OperationAccess.ACCOUNT:
        return None
    if operation.tag == USERS_TAG:
        return EVERY_SCOPE
    if operation.name.startswith(READING_NAMES):
        return READ
    if operation.name.startswith(MANAGING_NAMES):
        return MANAGE
    if operation.tag in MANAGING_TAGS and operation.method != "GET":
        return MANAGE
    return BY_TAG.get(operation.tag, READ)
