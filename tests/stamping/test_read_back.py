"""Every stamp is readable: the answered and the stored document, with any prolog of the received one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from uuid import uuid4
from xml.parsers import expat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.cfdi.byte_splice import insert_complement
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.codec import encode
from timbra.documents.build import document_services
from timbra.examples import ingreso
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest, StampResult

TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"

BOM = b"\xef\xbb\xbf"
FOLIOS = count(1)


def body(folio: int | None = None) -> str:
    """Return an invoice without prolog."""
    whole = ingreso({"@Folio": str(next(FOLIOS) if folio is None else folio)}, fecha=FECHA)
    return whole[whole.index("<cfdi:Comprobante") :]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SandboxApp, MintedCredential]]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("read-back") / "data")
    credential = sandbox_app.mint()
    sandbox_app.store(credential)
    yield sandbox_app, credential
    sandbox_app.container.close()


BLANKS = st.sampled_from(["", " ", "\t", "\n", "\r", "\r\n", "\v", "\u00a0"])
QUOTED = st.sampled_from(["'{}'", '"{}"', "{}"])
VERSIONS = st.sampled_from(["1.0", "1.0", "1.0", "1.1", "1.", "2.0", ""])
ENCODINGS = st.sampled_from(["utf-8", "UTF-8", "Utf-8", "utf8", "UTF8", "utf-16", "ISO-8859-1", "US-ASCII", "", "x"])
MISCELLANY = st.lists(
    st.sampled_from(
        [
            " ",
            "\n",
            "\ufeff",
            "\x00",
            "x",
            "<!-- -->",
            "<!-- <?xml version='1.0'?> -->",
            "<?p?>",
            "<?xml-stylesheet href='a'?>",
            "<?XML p?>",
            "<?\u0370?>",
            "<!DOCTYPE a>",
            "<!DOCTYPE a [<!ENTITY x 'y'>]>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]>",
            "<?xml version='1.0'?>",
        ]
    ),
    max_size=3,
).map("".join)


@st.composite
def declarations(draw: st.DrawFn) -> str:
    """Return valid, invalid and absent XML declarations."""
    if draw(st.booleans()):
        return ""
    pieces = ["<?xml", draw(BLANKS), "version=", draw(QUOTED).format(draw(VERSIONS))]
    if draw(st.booleans()):
        pieces += [draw(BLANKS), "encoding=", draw(QUOTED).format(draw(ENCODINGS))]
    if draw(st.booleans()):
        pieces += [draw(BLANKS), "standalone='yes'"]
    return "".join((*pieces, draw(st.sampled_from(["", " ", "\n"])), "?>"))


@st.composite
def prologs(draw: st.DrawFn) -> str:
    """Return prologs, most of them valid."""
    before = draw(st.sampled_from(["", "", "", "\ufeff", "\ufeff", "\ufeff\ufeff", " ", "\n"]))
    return before + draw(declarations()) + draw(st.one_of(st.just(""), st.just("\n"), MISCELLANY))


class Strict:
    """Return the document as expat, an independent parser, reads it."""

    def __init__(self, xml: bytes) -> None:
        self.declarations = 0
        self.sello = ""
        self.uuids: list[str] = []
        parser = expat.ParserCreate(namespace_separator="}")
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._element
        parser.Parse(xml, True)

    def _declaration(self, *_: object) -> None:
        self.declarations += 1

    def _doctype(self, *_: object) -> None:
        raise AssertionError("a stamp with a DTD")

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        self.sello = self.sello or attributes["Sello"]
        if name == f"{TFD}}}TimbreFiscalDigital":
            self.uuids.append(attributes["UUID"])


def check(sandbox_app: SandboxApp, xml: bytes, *, issue: bool) -> bool:
    """Return whether it was stamped, and assert that a stamped document is readable."""
    work = sandbox_app.issue if issue else sandbox_app.stamp
    try:
        stamped = work(xml)
    except ServiceError as rejection:
        if rejection.code != "301":
            raise
        return False
    read = Strict(stamped.cfdi.encode())
    assert (read.declarations, read.sello, read.uuids) == (1, stamped.sello_cfdi, [stamped.uuid])
    assert stamped.cfdi.count("<?xml") - stamped.cfdi.count("<?xml-") - stamped.cfdi.count("<!-- <?xml") == 1
    record = sandbox_app.container.get(stamping_services).stamps.by_uuid(stamped.uuid)
    assert record is not None
    assert record.cfdi == stamped.cfdi.encode()
    with pytest.raises(ServiceError) as repeat:
        work(xml)
    assert (repeat.value.code, repeat.value.data) == ("307", stamped)
    return True


@given(prolog=prologs(), encoding=st.sampled_from(["utf-8"] * 4 + ["utf-16", "utf-16-le", "latin-1", "utf-8-sig"]))
def test_stamped_document_is_read_by_strict_parser_with_any_prolog(
    seeded: tuple[SandboxApp, MintedCredential], prolog: str, encoding: str
) -> None:
    sandbox_app, credential = seeded
    unsealed = body()
    sealed = sandbox_app.sealed(body(), credential).decode()
    check(sandbox_app, (prolog + unsealed).encode(encoding, "ignore"), issue=True)
    check(sandbox_app, (prolog + sealed).encode(encoding, "ignore"), issue=False)


@pytest.mark.parametrize("issue", [True, False])
@pytest.mark.parametrize(
    ("prolog", "is_stamped"),
    [
        (b"", True),
        (BOM, True),
        (BOM + BOM, False),
        (BOM + BOM + b"<?xml version='1.0'?>", False),
        (b"\n", True),
        (b"\n<?xml version='1.0'?>", False),
        (b"<?xml\tversion='1.0'?>", True),
        (b"<?xml\nversion='1.0'\nencoding='utf-8'?>\n", True),
        (b"<?xml\r\nversion='1.0' encoding='utf8'?>", True),
        (BOM + b"<?xml\tversion='1.0'?><!-- -->", True),
        (b"<?xml-stylesheet href='a'?>", True),
        (b"<?xml version='1.1'?>", False),
        ("<?\u0370?>".encode(), False),
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]>", False),
        (BOM + BOM + b"<!DOCTYPE a [<!ENTITY x 'y'>]>", False),
    ],
    ids=range(15),
)
def test_stamp_returns_readable_document_or_301(
    seeded: tuple[SandboxApp, MintedCredential], prolog: bytes, is_stamped: bool, issue: bool
) -> None:
    sandbox_app, credential = seeded
    document = body().encode() if issue else sandbox_app.sealed(body(), credential)
    assert check(sandbox_app, prolog + document, issue=issue) is is_stamped


def test_stamp_rejects_document_that_only_libxml2_reads(
    seeded: tuple[SandboxApp, MintedCredential],
) -> None:
    sandbox_app, _ = seeded
    odd = body().replace("</cfdi:Comprobante>", "<cfdi:Addenda><\u0370/></cfdi:Addenda></cfdi:Comprobante>")
    rejection = sandbox_app.rejection(odd.encode(), issue=True)
    assert rejection.code == "301"
    assert "not well-formed" in (rejection.detail or "")


@pytest.mark.parametrize(
    "damage",
    [
        lambda xml: xml[:-1],
        lambda xml: BOM + xml,
        lambda xml: b"<?xml version='1.0'?>" + xml,
        lambda xml: xml.replace(b' Sello="', b' Sello="A', 1),
        lambda xml: xml.replace(b' UUID="', b' UUID="a', 1),
        lambda xml: xml.replace(b"<tfd:", b"<!--", 1),
    ],
    ids=range(6),
)
def test_stamp_that_does_not_read_back_is_not_stored(
    sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes]
) -> None:
    sandbox_app.store(sandbox_app.mint())
    monkeypatch.setattr(
        "timbra.stamping.stamp_factory.insert_complement", lambda *parts: damage(insert_complement(*parts))
    )
    assert sandbox_app.rejection(body(0).encode(), issue=True).code == "stamp-unreadable"
    assert sandbox_app.container.get(stamping_services).stamps.page(None).records == []
    monkeypatch.undo()
    assert sandbox_app.issue(body(0).encode()).uuid


def damage_stored(sandbox_app: SandboxApp, uuid: str, stored: bytes) -> None:
    with sandbox_app.container.get(opened_database).write() as connection:
        connection.execute(text("UPDATE stamp SET cfdi = :cfdi WHERE uuid = :uuid"), {"cfdi": stored, "uuid": uuid})


@pytest.mark.parametrize(
    "stored", [encode(b"<broken"), encode(b""), encode(BOM + BOM + b"<a/>"), encode(b"<a/>"), b"\x01damaged", b"\x07"]
)
def test_damaged_stored_document_is_a_server_fault(sandbox_app: SandboxApp, stored: bytes) -> None:
    sandbox_app.store(sandbox_app.mint())
    first = sandbox_app.issue(body(0).encode(), "pedido")
    damage_stored(sandbox_app, first.uuid, stored)
    assert sandbox_app.rejection(body(0).encode(), issue=True).code == "document-damaged"
    assert sandbox_app.rejection(first.cfdi.encode()).code == "document-damaged"
    with pytest.raises(ServiceError, match="document-damaged"):
        sandbox_app.issue(body().encode(), "pedido")
    if stored not in (encode(b"<a/>"),):
        with pytest.raises(ServiceError, match="document-damaged"):
            sandbox_app.container.get(document_services).storage.read(sandbox_app.caller, first.uuid)


def test_damaged_document_does_not_fail_other_claims_of_batch(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    first = sandbox_app.issue(body(0).encode())
    damage_stored(sandbox_app, first.uuid, b"\x01damaged")

    async def both() -> list[StampResult | BaseException]:
        stamping = sandbox_app.container.get(stamping_services).stamping
        orders = (StampRequest(sandbox_app.caller, body(folio).encode(), str(uuid4())) for folio in (0, 1))
        return await asyncio.gather(*map(stamping.issue, orders), return_exceptions=True)

    rejected, stamped = asyncio.run(both())
    assert isinstance(rejected, ServiceError)
    assert rejected.code == "document-damaged"
    assert isinstance(stamped, StampResult)


def test_document_at_size_limit_is_readable_after_stamping(tmp_path: Path) -> None:
    document = body(0).replace("</cfdi:Comprobante>", f"<!--{'x' * 9000}--></cfdi:Comprobante>").encode()
    sandbox_app = SandboxApp(tmp_path / "small", max_body_bytes=len(document))
    sandbox_app.store(sandbox_app.mint())
    first = sandbox_app.issue(document)
    assert len(first.cfdi) > len(document)
    rejection = sandbox_app.rejection(document, issue=True)
    assert (rejection.code, rejection.data) == ("307", first)
    assert sandbox_app.container.get(document_services).storage.read(sandbox_app.caller, first.uuid).root is not None
    sandbox_app.container.close()
