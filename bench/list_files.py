"""Synthetic files of the published lists, in the form of the SAT's: text or XML in a PKCS#7 in gzip, in parts."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from timbra.lists.sources.part_names import ListKind

DAY = date(2026, 11, 20)
HEADER = "RFC|NOMBRE|CP|SNCF|SUBCONTRATACION|RETENCION"
ROWS_A_PART = 2_500_000
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
HOMOCLAVE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORDS = [
    "COMERCIALIZADORA",
    "GARCIA",
    "HERNANDEZ",
    "SERVICIOS",
    "DEL",
    "NORTE",
    "MARIA",
    "INDUSTRIAS",
    "LOPEZ",
    "GUADALUPE",
    "TRANSPORTES",
    "MUÑOZ",
    "PEÑA",
    "CONSTRUCTORA",
    "JUAN",
    "CARLOS",
    "RAMIREZ",
]
DAYS = [f"{(date(1970, 1, 1) + timedelta(days=day)):%y%m%d}" for day in range(10_000)]


def rfc_of(number: int) -> str:
    """Return a different RFC for every number below 2^32, in no order."""
    mixed = number * 2654435761 % 2**32
    mixed, day = divmod(mixed, 10_000)
    last = HOMOCLAVE[mixed % 36] + HOMOCLAVE[mixed // 36 % 36]
    characters = mixed // 1296
    name = ALPHABET[characters % 26] + ALPHABET[characters // 26 % 26] + ALPHABET[characters // 676 % 26]
    return f"{name}{DAYS[day]}{last}{number % 10}" if number % 3 == 0 else f"{name}X{DAYS[day]}{last}{number % 10}"


def name_of(number: int) -> str:
    """Return a name for a number."""
    return f"{WORDS[number % 17]} {WORDS[number // 17 % 17]} {WORDS[number // 289 % 17]} {number:X}"


def lrfc_text(first: int, last: int) -> Iterator[bytes]:
    """Yield the text of an l_RFC with these taxpayers."""
    yield f"{HEADER}\r\n".encode()
    for start in range(first, last, 10_000):
        rows = (
            f"{rfc_of(n)}|{name_of(n)}|{n % 90_000 + 1_000:05}|0|0|{'1' if n % 40 == 0 else ''}\r\n"
            for n in range(start, min(start + 10_000, last))
        )
        yield "".join(rows).encode()
    yield b"EOF\r\n"


def lco_text(first: int, last: int, certificates: int) -> Iterator[bytes]:
    """Yield the text of an LCO with taxpayers `first` to `last`, some with two certificates: `certificates` in all."""
    yield b'<?xml version="1.0" encoding="utf-8"?><lco:LCO xmlns:lco="http:/www.sat.gob.mx/cfd/LCO">'
    twice = certificates - (last - first)
    for start in range(first, last, 10_000):
        yield "".join(_taxpayer(n, n - first < twice) for n in range(start, min(start + 10_000, last))).encode()
    yield b"</lco:LCO>"


def _taxpayer(number: int, twice: bool) -> str:
    seals = [(2 * number, "C"), (2 * number + 1, "A")] if twice else [(2 * number + 1, "A")]
    inside = "".join(
        f'<lco:Certificado ValidezObligaciones="1" EstatusCertificado="{status}" noCertificado="{seal:020}" '
        f'FechaFinal="2028-01-01T11:43:51" FechaInicio="2024-01-01T11:43:51"/>'
        for seal, status in seals
    )
    return f'<lco:Contribuyente RFC="{rfc_of(number)}">{inside}</lco:Contribuyente>'


def mint(folder: Path) -> None:
    """Create an authority (ca.der) and a certificate that signs lists (signer.pem with its key)."""
    starts, ends = datetime.now(UTC) - timedelta(days=1), datetime.now(UTC) + timedelta(days=30)
    ca_key, key = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "AC DE LA MEDICION")])
    draft = x509.CertificateBuilder().issuer_name(ca_name).not_valid_before(starts).not_valid_after(ends)
    authority = (
        draft.subject_name(ca_name)
        .public_key(ca_key.public_key())
        .serial_number(int.from_bytes(b"00001000000000000001", "big"))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(ca_key, SHA256())
    )
    signer = (
        draft.subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "FIRMANTE DE LISTAS")]))
        .public_key(key.public_key())
        .serial_number(int.from_bytes(b"00001000000000000002", "big"))
        .sign(ca_key, SHA256())
    )
    (folder / "ca.der").write_bytes(authority.public_bytes(Encoding.DER))
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "signer.pem").write_bytes(signer.public_bytes(Encoding.PEM) + pem)


def publish(folder: Path, name: str, text: Iterator[bytes]) -> Path:
    """Sign and compress the text, streamed through `openssl`, and return the file."""
    path = folder / name
    command = ["openssl", "cms", "-sign", "-binary", "-nodetach", "-stream", "-outform", "DER", "-md", "sha256"]
    signed = folder / f"{name}.der"
    with subprocess.Popen([*command, "-signer", folder / "signer.pem", "-out", signed], stdin=subprocess.PIPE) as run:
        assert run.stdin is not None
        for piece in text:
            run.stdin.write(piece)
        run.stdin.close()
        if run.wait():
            raise SystemExit("openssl could not sign")
    with signed.open("rb") as source, gzip.open(path, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 1024 * 1024)
    signed.unlink()
    return path


def make_files(folder: Path, taxpayers: int, certificates: int) -> dict[ListKind, list[Path]]:
    """Create the parts of both lists."""
    mint(folder)
    parts: dict[ListKind, list[Path]] = {ListKind.LRFC: [], ListKind.LCO: []}
    for number, first in enumerate(range(0, taxpayers, ROWS_A_PART), 1):
        name = f"l_RFC_{DAY:%Y_%m_%d}_{number}.txt.gz"
        parts[ListKind.LRFC].append(publish(folder, name, lrfc_text(first, min(first + ROWS_A_PART, taxpayers))))
    name = f"LCO_{DAY:%Y-%m-%d}_1.XML.gz"
    parts[ListKind.LCO].append(publish(folder, name, lco_text(0, issuers(certificates), certificates)))
    return parts


def issuers(certificates: int) -> int:
    """Return the number of taxpayers: two of three have one certificate, one has two."""
    return certificates * 3 // 4
