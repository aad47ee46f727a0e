"""The use case that cancellation, acceptance and relations share: send a message that a taxpayer signs.

A client provides the signature in one of three ways: the files of a CSD, the CSD that its account stores, or the signed
XML. `SignedMessage` configures the differences between the three kinds of message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from lxml import etree

from timbra.accounts.vault.signers import IssuerCredential
from timbra.cancellation.signed_requests import CsdFiles, PfxFile, SignedRequests
from timbra.core.errors import ServiceError
from timbra.sat.port import RequestOrigin

Message = TypeVar("Message")
Result = TypeVar("Result")


def _accept_all(_message: object) -> None:
    """Perform no check."""


@dataclass(frozen=True)
class SignedMessage(Generic[Message, Result]):
    """The configuration of one kind of message.

    Attributes:
        root_name: Local name of the root element that a client signs.
        read: Reads the signed content of a client's XML.
        signer_rfc: Returns the RFC that has to sign the message.
        to_root: Makes the XML of the message with the fiscal time, without signature.
        send: Sends the message and its signed XML to the authority.
        check_signed: Further checks of a message that came as signed XML.
    """

    root_name: str
    read: Callable[[bytes], Message]
    signer_rfc: Callable[[Message], str]
    to_root: Callable[[Message, datetime], etree._Element]
    send: Callable[[Message, bytes, RequestOrigin], Result]
    check_signed: Callable[[Message], None] = _accept_all


class SignedMessageUseCase(Generic[Message, Result]):
    """Signs a message, or verifies its signature, and sends it.

    Each method may take 30 ms and more; do not call it on the event loop. The ServiceErrors are those of
    `SignedRequests` and of the authority.
    """

    def __init__(self, requests: SignedRequests, kind: SignedMessage[Message, Result]) -> None:
        self._requests = requests
        self._kind = kind

    def by_files(self, message: Message, files: CsdFiles | PfxFile, origin: RequestOrigin) -> Result:
        """Sign with the files of the request; the server does not keep them."""
        credential = self._requests.from_files(files, self._kind.signer_rfc(message))
        return self._sign_and_send(message, credential, origin)

    def by_stored_csd(self, message: Message, account_id: int, origin: RequestOrigin) -> Result:
        """Sign with the CSD that the account stores."""
        credential = self._requests.from_vault(account_id, self._kind.signer_rfc(message))
        return self._sign_and_send(message, credential, origin)

    def by_signed_xml(self, xml: bytes, origin: RequestOrigin) -> Result:
        """Verify the signature of the client's XML and forward the document that the signature covers.

        The document is the XML as sent, or the XML without blank text, see `SignedRequests.verify`.
        """
        if not xml.strip():
            raise ServiceError("xml-missing")
        signed = self._requests.verify(xml, self._kind.root_name)
        with self._requests.translated_reading_errors():
            message = self._kind.read(signed.content)
            forwarded = self._kind.read(signed.document)
        if forwarded != message:
            # Comments inside of values: the canonical form omits them, so that readers see different values.
            raise ServiceError("cancel-xml", self._requests.rejections.signature)
        self._requests.require_usable(signed.certificate, self._kind.signer_rfc(message))
        self._kind.check_signed(message)
        self._requests.admit(signed, origin)
        return self._kind.send(message, signed.document, origin)

    def _sign_and_send(self, message: Message, credential: IssuerCredential, origin: RequestOrigin) -> Result:
        root = self._kind.to_root(message, self._requests.reference_data().now)
        return self._kind.send(message, self._requests.sign(credential, root), origin)
