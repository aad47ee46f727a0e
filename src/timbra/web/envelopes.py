"""The envelopes of answers. The OpenAPI schemas are derived from the classes.

Answers are dataclasses. They are `TypedDict` where members may be absent, because the encoder writes every field of a
dataclass, and on the hot path of stamping, because it writes a dictionary several times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, Literal, NotRequired, TypedDict, TypeVar

T = TypeVar("T")


class SuccessAnswer(TypedDict, Generic[T]):
    """The envelope of most successes."""

    data: T
    status: Literal["success"]


class NoticedAnswer(SuccessAnswer[T], Generic[T]):
    """The envelope of a success with which the service may have something to say about the request."""

    messageDetail: NotRequired[
        Annotated[str, "The parts of the request that had no effect, or findings about it, in Spanish."]
    ]


@dataclass(frozen=True, slots=True)
class ErrorAnswer(Generic[T]):
    """The envelope of rejections, which `timbra.web.framework.error_responses` writes."""

    message: Annotated[str, "Begins with the code, or is a literal text of the contract."]
    messageDetail: Annotated[
        str | None, "The cause in this request; with 307 and T307, the XML of the stamped document."
    ]
    data: T
    status: Literal["error"] = "error"


@dataclass(frozen=True, slots=True)
class RejectionContent:
    """What an endpoint adds to the body of a rejection, as `data` of its ServiceError.

    Attributes:
        data: The content of the member `data`.
        detail: Content of `messageDetail` instead of the detail of the error. The rejection log keeps the latter.
    """

    data: object
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class MessageAnswer(Generic[T]):
    """The envelope of the successes that carry a message."""

    message: str
    messageDetail: str | None
    data: T
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class ManagementAnswer(Generic[T]):
    """The envelope of a single value of the management services."""

    data: T
    meta: None = None
    links: None = None
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class CodedAnswer(Generic[T]):
    """The envelope of the receiver's services that carry a code of the SAT."""

    data: T
    codStatus: str
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class CodedMessageAnswer(Generic[T]):
    """The envelope of the receiver's services that carry a code of the SAT and its sentence."""

    data: T
    codStatus: str
    message: str
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class CodedRejectionAnswer:
    """The answer of the receiver's services for a code that means that nothing was found; its HTTP status is 400."""

    message: str
    messageDetail: None
    data: None
    codStatus: str
    status: Literal["error"] = "error"


def success(data: T) -> SuccessAnswer[T]:
    """Build the envelope of most successes."""
    return {"data": data, "status": "success"}


def noticed_success(data: T, *notices: str) -> NoticedAnswer[T]:
    """Build the envelope of a success with sentences about the request; without any, as `success`.

    `message` stays absent: published clients expect none in a success.
    """
    if not notices:
        return {"data": data, "status": "success"}
    return {"data": data, "status": "success", "messageDetail": " ".join(notices)}
