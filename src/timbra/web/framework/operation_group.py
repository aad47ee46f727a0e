"""Declarations of operations that share a tag, a path prefix and an access."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.core.errors import ServiceError
from timbra.web.framework.operation import Endpoint, Operation, OperationAccess, Parameter, Payload

MULTIPART_SCHEMAS = frozenset({"XmlUpload", "BatchUpload", "ReconciliationUpload"})
"""Component schemas of bodies that are sent as multipart/form-data."""


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """Operations below one path.

    Attributes:
        tag: Tag of the operations, and prefix of their names.
        path: Prefix of their paths.
        access: Who may call them, unless an operation declares another access.
    """

    tag: str
    path: str
    access: OperationAccess = OperationAccess.ACCOUNT

    def build(
        self,
        name: str,
        method: str,
        path: str,
        endpoint: Endpoint,
        summary: str,
        answer: str,
        *,
        body: str | None = None,
        payload: Payload | None = None,
        description: str = "",
        rejections: tuple[ServiceError, ...] = (),
        access: OperationAccess | None = None,
        parameters: tuple[Parameter, ...] = (),
        success_status: int = 200,
        media_types: tuple[str, ...] = ("application/octet-stream",),
    ) -> Operation:
        """Build an operation of the group.

        Args:
            name: Name within the group.
            method: HTTP method.
            path: Path template below the path of the group; empty for that path itself.
            endpoint: Handles the request.
            summary: Title in the OpenAPI document.
            answer: Name of the component schema of success, `file` or `nothing`.
            body: Name of the component schema of the request body, None without one.
            payload: The request body, when its media type is another than that of `body`.
            description: Further text of the OpenAPI document.
            rejections: Examples of errors of bad input.
            access: Who may call it; None for the access of the group.
            parameters: Query parameters.
            success_status: HTTP status of a success that has a body.
            media_types: Media types of an answer that is a `file`.
        """
        media_type = "multipart/form-data" if body in MULTIPART_SCHEMAS else "application/json"
        payloads = (payload,) if payload else (Payload(media_type, body),) if body else ()
        return Operation(
            name=f"{self.tag}-{name}",
            method=method,
            paths=(f"{self.path}{path}",),
            endpoint=endpoint,
            summary=summary,
            tag=self.tag,
            answer=answer,
            access=access or self.access,
            description=description,
            rejections=rejections,
            payloads=payloads,
            parameters=parameters,
            success_status=success_status,
            media_types=media_types,
        )
