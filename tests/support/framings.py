"""Multipart requests of published clients, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.support.server_fixtures import request

BOUNDARY = "6aRE9KJzRMDv3xpt4DINItD3YBtxM6"
DASHES = "-------------6b00153f0ab9b"
LONG_DASHES = "----------------------------8db1c2a3b4c5d6e"
GUID = "f4c09d9e-ea7f-4b53-973d-fefb49d94fde"
OUTER = "kvjY2Hy_vvZKtlTqMicqdJ8xaoJD9ml_3bF_i"
QUOTED = 'Content-Disposition: form-data; name="xml"; filename="xml"'
PYTHON_PART = ("Content-Type: text/xml", "Content-Transfer-Encoding: binary", QUOTED)
CURL_PART = (QUOTED, "Content-Type: text/xml")
JAVA_PART = ("Content-Disposition: form-data; name=xml; filename=xml", "Content-Type: application/xml")
JAVA18_INNER = ("Content-Disposition: form-data; name=xml;filename=xml", "Content-Type: application/xml")
NET_PART = ("Content-Disposition: form-data; name=xml; filename=xml; filename*=utf-8''xml",)
JAVA18_PART = (
    'Content-Disposition: form-data; name="xml"; filename="name"',
    "Content-Type: text/xml",
    "Content-Transfer-Encoding: binary",
)
OCTETS = "Content-Type: application/octet-stream"


@dataclass(frozen=True)
class Framing:
    """The request of one client. around: header of an outer part with an undeclared boundary, empty for none."""

    path: str
    boundary: str
    part: tuple[str, ...]
    scheme: str = "Bearer"
    headers: tuple[str, ...] = ()
    quoted: bool = False
    before: bytes = b""
    end: bytes = b"\r\n"
    around: str = ""
    version: str = "1.1"

    def request(self, xml: bytes, token: str, path: str | None = None) -> bytes:
        """Return a whole request, to the client's own path by default."""
        declared = f'"{self.boundary}"' if self.quoted else self.boundary
        headers = [
            f"Authorization: {self.scheme} {token}",
            f"Content-Type: multipart/form-data; boundary={declared}",
            *self.headers,
        ]
        return request(path or self.path, headers, self.body(xml), version=self.version)

    def body(self, xml: bytes) -> bytes:
        """Return the multipart body."""
        inner = self.before + part(self.boundary, self.part, xml) + self.end
        return f"--{OUTER}\r\n{self.around}\r\n\r\n".encode() + inner + CLOSING if self.around else inner


def chunked(whole: bytes, size: int = 1000) -> bytes:
    """Return the same request with a chunked body and no Content-Length."""
    head, _, body = whole.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length:")]
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return b"\r\n".join([*lines, b"Transfer-Encoding: chunked", b"", b""]) + chunks + b"0\r\n\r\n"


CLOSING = f"--{OUTER}--\r\n".encode()


def part(boundary: str, headers: Iterable[str], content: bytes) -> bytes:
    """Return a multipart body of one part, without a final line end."""
    head = "\r\n".join([f"--{boundary}", *headers, "", ""]).encode()
    return head + content + f"\r\n--{boundary}--".encode()


FRAMINGS = {
    "python": Framing("/cfdi33/stamp/v4", BOUNDARY, PYTHON_PART, end=b""),
    "ruby": Framing("/cfdi33/issue/v4", BOUNDARY, PYTHON_PART, end=b""),
    "php": Framing("//cfdi33/stamp/v4", DASHES, CURL_PART, headers=("Accept: */*",)),
    "php with a header that swallowed others": Framing(
        "/v4/cfdi33/stamp/v4", DASHES, CURL_PART, headers=("customid: id-2','extra: pdf','email: a@b.mx'",)
    ),
    "nodejs": Framing("/cfdi33/stamp/v4", DASHES, CURL_PART),
    "nodejs issue": Framing(
        "/v4/cfdi33/issue/v4",
        "----IssueBoundary1f2e",
        CURL_PART,
        headers=("customid: 1", "extra: pdf", "email: a@b.mx,c@d.mx"),
    ),
    "java": Framing(
        "/cfdi33/stamp/V4",
        GUID,
        JAVA_PART,
        scheme="bearer",
        headers=("Content-Disposition: form-data; name=xml; filename=xml", "Accept-Encoding: gzip,deflate"),
        around='Content-Disposition: form-data; name="xml"',
    ),
    "java validate": Framing("/validate/cfdi33", GUID, JAVA_PART, scheme="bearer", end=b""),
    "java18": Framing("/cfdi33/stamp/v4/", "_ZdW_vbK6H1d2lLLq8HPe0Kf6-KKS5ZqYNgMpp", JAVA18_PART, scheme="bearer"),
    "java18 validate": Framing(
        "/validate/cfdi",
        GUID,
        JAVA18_INNER,
        scheme="bearer",
        around='Content-Disposition: form-data; name="xml"; filename="name"',
    ),
    "dotnet, HTTP/1.0": Framing(
        "/cfdi33/stamp/v4/",
        LONG_DASHES,
        (QUOTED, OCTETS),
        scheme="bearer",
        before=b"\r\n",
        end=b"",
        version="1.0",
    ),
    "dotnet45": Framing(
        "/v4/cfdi33/stamp/v4//analytics", GUID, NET_PART, scheme="bearer", headers=("customId: a",), quoted=True
    ),
    "netstandard": Framing("/cfdi33/stamp/V4/", GUID, NET_PART, scheme="bearer", quoted=True),
    "net6": Framing(
        "/V4//cfdi33/Issue/V4/",
        GUID,
        NET_PART,
        scheme="bearer",
        headers=("customid:", "pdf:", "email: a@b.mx"),
        quoted=True,
    ),
    "go": Framing(
        "/cfdi33/stamp/v4",
        "a" * 60,
        ('Content-Disposition: form-data; name="xml"; filename="a.xml"', OCTETS),
        scheme="bearer",
        headers=("Accept-Encoding: gzip, deflate, br",),
    ),
    "satcfdi": Framing("/v4/cfdi33/stamp/v4", "0123456789abcdef" * 2, CURL_PART, headers=("Cache-Control: no-cache",)),
    "a form field instead of a file": Framing(
        "/cfdi33/stamp/v4/", "---011000010111000001101001", ('Content-Disposition: form-data; name="xml"',)
    ),
}
STAMPING = [name for name, framing in FRAMINGS.items() if "validate" not in framing.path]
