"""Retenciones 1.0 as they were made in their time: sealed with SHA-1, stamped with TFD 1.0 or 1.1."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA1, HashAlgorithm
from cryptography.hazmat.primitives.serialization import load_der_private_key
from lxml import etree
from tests.support.stylesheets import document_stylesheet

from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.examples.retenciones20 import CURP
from timbra.examples.tree import Change, ExampleNode, change
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sat.port import Provider
from timbra.seals.rsa_signature import Digest

RETENCIONES1 = "http://www.sat.gob.mx/esquemas/retencionpago/1"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"

UUID = "2f6c1f0e-5d0b-4f43-9c57-0a6de2b1a7d4"
STAMPED_AT = "2026-11-17T11:30:00"
FECHA_EXP = "2026-11-17T11:00:00-06:00"


def retencion10(changes: Mapping[str, Change] | None = None, *, foreign: bool = False) -> str:
    """Return an unsealed document.

    Args:
        changes: see `timbra.examples.tree.change`.
        foreign: whether the receiver resides abroad.
    """
    root = ExampleNode(
        "retenciones:Retenciones",
        {
            "xmlns:retenciones": RETENCIONES1,
            "xmlns:xsi": XSI,
            "xsi:schemaLocation": f"{RETENCIONES1} {RETENCIONES1}/retencionpagov1.xsd",
            "Version": "1.0",
            "FolioInt": "R 7",
            "Sello": "",
            "NumCert": "",
            "Cert": "",
            "FechaExp": FECHA_EXP,
            "CveRetenc": "16",
            "DescRetenc": "Intereses  del mes",
        },
    )
    if foreign:
        attributes = {"NumRegIdTrib": "123456789", "NomDenRazSocR": "ACME INC"}
        receiver = ExampleNode("retenciones:Extranjero", attributes)
    else:
        attributes = {
            "RFCRecep": "CACX7605101P8",
            "NomDenRazSocR": "XOCHILT CASAS CHAVEZ",
            "CURPR": CURP,
        }
        receiver = ExampleNode("retenciones:Nacional", attributes)
    withheld = {"BaseRet": "1000.00", "Impuesto": "01", "montoRet": "100.00", "TipoPagoRet": "Pago provisional"}
    amounts = {"montoTotOperacion": "1000.00", "montoTotGrav": "1000.00", "montoTotExent": "0", "montoTotRet": "100.00"}
    root.children += [
        ExampleNode("retenciones:Emisor", {"RFCEmisor": "EKU9003173C9", "NomDenRazSocE": "ESCUELA KEMPER URGATE"}),
        ExampleNode("retenciones:Receptor", {"Nacionalidad": "Extranjero" if foreign else "Nacional"}, [receiver]),
        ExampleNode("retenciones:Periodo", {"MesIni": "1", "MesFin": "12", "Ejerc": "2024"}),
        ExampleNode("retenciones:Totales", amounts, [ExampleNode("retenciones:ImpRetenidos", withheld)]),
    ]
    change(root, changes or {})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + root.write()


def sealed10(text: str, credential: MintedCredential, digest: HashAlgorithm | None = None) -> bytes:
    """Return the document with certificate and seal, made with libxslt and cryptography alone.

    Args:
        text: the document.
        credential: the issuer's.
        digest: the hash of the seal; None for SHA-1.
    """
    root = etree.fromstring(text.encode())
    root.set("NumCert", credential.certificate.number)
    root.set("Cert", b64encode(credential.certificate_der).decode())
    key = load_der_private_key(credential.key_der, credential.password.encode())
    assert isinstance(key, RSAPrivateKey)
    cadena = str(document_stylesheet("1.0")(root)).encode()
    root.set("Sello", b64encode(key.sign(cadena, PKCS1v15(), digest or SHA1())).decode())
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def stamped10(
    sealed: bytes, provider: Provider, version: str = "1.0", digest: Digest | None = None, at: str = STAMPED_AT
) -> bytes:
    """Return the document with a stamp.

    Args:
        sealed: the document.
        provider: who stamps.
        version: version of the stamp.
        digest: the hash of SelloSAT; None for that of the version.
        at: FechaTimbrado.
    """
    root = etree.fromstring(sealed)
    number = provider.certificate.number
    stamp = TimbreFiscalDigital(UUID, at, provider.rfc, str(root.get("Sello")), number, version=version)
    made = provider.signer.sign(stamp.cadena_original.encode(), digest or ("sha1" if version == "1.0" else "sha256"))
    stamp = stamp.sealed(b64encode(made).decode())
    complement = root.find("{*}Complemento")
    if complement is None:
        complement = etree.SubElement(root, f"{{{RETENCIONES1}}}Complemento")
    complement.append(etree.fromstring(stamp.to_xml()) if version == "1.1" else stamp_element10(stamp))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def stamp_element10(stamp: TimbreFiscalDigital) -> etree._Element:
    """Return the element of a stamp of version 1.0."""
    element = etree.Element(f"{{{TFD}}}TimbreFiscalDigital", nsmap={"tfd": TFD})
    values = {
        "version": "1.0",
        "UUID": stamp.uuid,
        "FechaTimbrado": stamp.fecha_timbrado,
        "selloCFD": stamp.sello_cfd,
        "noCertificadoSAT": stamp.no_certificado_sat,
        "selloSAT": stamp.sello_sat,
    }
    for name, value in values.items():
        element.set(name, value)
    return element
