from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lists.signing import lco, seal, taxpayer

from timbra.core.errors import ServiceError
from timbra.lists.packed.certificate_rows import SIZE, PublishedCertificate, seal_in
from timbra.lists.sources.lco import LcoPart

LONGEST_TOKEN = 1024 * 1024

RFC = st.from_regex(r"[A-ZÑ]{3,4}[0-9]{6}[A-Z0-9]{3}", fullmatch=True)


def part_of(data: bytes, size: int = 100) -> tuple[dict[str, list[PublishedCertificate]], LcoPart]:
    part = LcoPart(data[at : at + size] for at in range(0, len(data), size))
    found: dict[str, list[PublishedCertificate]] = {}
    for batch in part:
        for key, line in batch:
            rfc = key.decode()
            assert line.startswith(key + b"|")
            assert line.endswith(b"\n")
            found.setdefault(rfc, []).extend(certificates(rfc, line[len(key) + 1 : -1]))
    return found, part


def certificates(rfc: str, packed: bytes) -> list[PublishedCertificate]:
    rows = [packed[start : start + SIZE] for start in range(0, len(packed), SIZE)]
    found = [seal_in(rfc, row[:20].decode(), row) for row in rows]
    return [certificate for certificate in found if certificate is not None]


def rejection(data: bytes) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        part_of(data)
    assert caught.value.code == "list-unreadable"
    return caught.value


@given(
    st.lists(st.tuples(RFC, st.lists(st.integers(0, 10**20 - 1), max_size=3))),
    st.integers(1, 300),
    st.sampled_from(["utf-8", "latin-1"]),
)
def test_lco_part_reads_taxpayers_and_certificates_in_any_chunks(
    rows: list[tuple[str, list[int]]], size: int, encoding: str
) -> None:
    data = lco(*(taxpayer(rfc, *map(seal, numbers)) for rfc, numbers in rows)).decode()
    found, part = part_of(data.encode(encoding), size)
    expected: dict[str, list[str]] = {}
    for rfc, numbers in rows:
        expected.setdefault(rfc, []).extend(f"{number:020}" for number in numbers)
    assert {rfc: [one.number for one in seals] for rfc, seals in found.items()} == expected
    assert part.certificates == sum(len(numbers) for _, numbers in rows)
    assert (part.skipped, part.unusual, part.dated) == (0, 0, None)


@pytest.mark.parametrize("namespace", ["http:/www.sat.gob.mx/cfd/LCO", "http://www.sat.gob.mx/cfd/LCO"])
def test_lco_part_accepts_both_namespaces(namespace: str) -> None:
    assert list(part_of(lco(taxpayer("EKU9003173C9"), namespace=namespace))[0]) == ["EKU9003173C9"]


def test_lco_part_reads_the_date_of_the_root() -> None:
    assert part_of(lco(attributes=' fecha="2026-11-20T00:00:00"'))[1].dated == date(2026, 11, 20)
    assert part_of(lco(attributes=' fecha="2026-13-20"'))[1].dated is None
    assert part_of(lco(attributes=' fecha="hoy"'))[1].dated is None


def test_lco_part_decodes_entities_and_double_encoding() -> None:
    twice = "OÑO120726RX3".encode().decode("cp1252")
    found, _ = part_of(lco(taxpayer("H&amp;E951128469"), taxpayer(twice), taxpayer("A&#209;O120726RX3")))
    assert list(found) == ["H&E951128469", "OÑO120726RX3", "AÑO120726RX3"]


def test_lco_part_counts_malformed_rows() -> None:
    found, part = part_of(
        lco(
            taxpayer("O?O120726RX3", seal(1)),
            taxpayer("EKU9003173C9", seal(2, obligations="7"), seal(3, status="S"), seal(4, start="ayer"), seal(5)),
        )
    )
    assert {rfc: [(one.number[-1], one.status) for one in seals] for rfc, seals in found.items()} == {
        "EKU9003173C9": [("3", "R"), ("5", "A")]
    }
    assert (part.certificates, part.skipped, part.unusual) == (2, 4, 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<LCO/>",
        lco(namespace="http://www.sat.gob.mx/cfd/4"),
        lco(seal(1)),
        lco("<lco:Otro/>"),
        lco(taxpayer("EKU9003173C9", taxpayer("EKU9003173C9"))),
        lco(taxpayer("EKU9003173C9", "<lco:Certificado><lco:Certificado/></lco:Certificado>")),
        lco(taxpayer("EKU9003173C9"))[:-4],
        lco() + lco(),
        lco("&nada;"),
        lco().decode().encode("utf-16"),
    ],
)
def test_lco_part_rejects_other_documents(data: bytes) -> None:
    rejection(data)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE lco:LCO SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE lco:LCO [<!ENTITY a "AAAAAAAA"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE lco:LCO [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>',
        "<!DOCTYPE lco:LCO>",
    ],
)
def test_lco_part_rejects_a_dtd(doctype: str) -> None:
    assert "DTD" in str(rejection(lco().replace(b"<lco:LCO", doctype.encode() + b"<lco:LCO", 1)))


@pytest.mark.parametrize("opening", [b'<lco:LCO xmlns:lco="', b"<!--", b"<?x ", b"<" + b"a" * 10])
def test_lco_part_rejects_an_unbounded_token(opening: bytes) -> None:
    def content() -> Iterator[bytes]:
        yield opening
        for _ in range(LONGEST_TOKEN // 2**16 + 3):
            yield b"A" * 2**16
        raise AssertionError("read on")

    with pytest.raises(ServiceError, match="rebasa"):
        list(LcoPart(content()))


@given(st.binary(max_size=300), st.integers(0, 200))
def test_lco_part_reads_or_rejects_any_bytes(data: bytes, place: int) -> None:
    good = lco(taxpayer("EKU9003173C9", seal(1)))
    for document in (data, good[:place] + data + good[place:]):
        try:
            part_of(document)
        except ServiceError as rejected:
            assert rejected.code == "list-unreadable"  # noqa: PT017
