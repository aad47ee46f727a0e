"""CFDI 3.2 and CFD 2.2 as they were made in their time: sealed with SHA-1, stamped with TFD 1.0."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import load_der_private_key
from lxml import etree
from tests.support.retenciones10 import UUID, stamp_element10
from tests.support.stylesheets import document_stylesheet

from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.examples.tree import Change, ExampleNode, change
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sat.port import Provider

CFD2 = "http://www.sat.gob.mx/cfd/2"
CFD3 = "http://www.sat.gob.mx/cfd/3"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

FECHA32 = "2026-11-17T11:00:00"
STAMPED_AT = "2026-11-17T11:30:00"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/3/cfdv32.xsd"


def comprobante32(changes: Mapping[str, Change] | None = None, *, namespace: str = CFD3) -> str:
    """Return an unsealed CFDI 3.2, or a CFD 2.2 in its namespace.

    Args:
        changes: see `timbra.examples.tree.change`.
        namespace: of the document.
    """
    address = {
        "calle": "Madero",
        "municipio": "Pachuca",
        "estado": "Hidalgo",
        "pais": "México",
        "codigoPostal": "42501",
    }
    concept = {
        "cantidad": "2",
        "unidad": "pieza",
        "descripcion": "Un  cuaderno",
        "valorUnitario": "100",
        "importe": "200",
    }
    moved = {"impuesto": "IVA", "tasa": "16.00", "importe": "32.00"}
    root = ExampleNode(
        "cfdi:Comprobante",
        {
            "xmlns:cfdi": namespace,
            "xmlns:xsi": XSI,
            "xsi:schemaLocation": f"{namespace} {SCHEMA}",
            "version": "3.2" if namespace == CFD3 else "2.2",
            "serie": "A",
            "folio": "7",
            "fecha": FECHA32,
            "sello": "",
            "formaDePago": "Pago en una sola exhibición",
            "noCertificado": "00000000000000000000",
            "certificado": "",
            "subTotal": "200.00",
            "TipoCambio": "1",
            "Moneda": "MXN",
            "total": "232.00",
            "tipoDeComprobante": "ingreso",
            "metodoDePago": "Efectivo",
            "LugarExpedicion": "Pachuca, Hidalgo",
        },
        [
            ExampleNode(
                "cfdi:Emisor",
                {"rfc": "EKU9003173C9", "nombre": "ESCUELA KEMPER URGATE"},
                [
                    ExampleNode("cfdi:DomicilioFiscal", address),
                    ExampleNode("cfdi:ExpedidoEn", {"calle": "Juárez", "pais": "México"}),
                    ExampleNode("cfdi:RegimenFiscal", {"Regimen": "General de ley"}),
                ],
            ),
            ExampleNode(
                "cfdi:Receptor",
                {"rfc": "CACX7605101P8", "nombre": "XOCHILT CASAS CHAVEZ"},
                [ExampleNode("cfdi:Domicilio", {"pais": "México"})],
            ),
            ExampleNode(
                "cfdi:Conceptos",
                children=[
                    ExampleNode(
                        "cfdi:Concepto",
                        concept,
                        [
                            ExampleNode(
                                "cfdi:InformacionAduanera", {"numero": "1", "fecha": "2015-01-01", "aduana": "x"}
                            )
                        ],
                    )
                ],
            ),
            ExampleNode(
                "cfdi:Impuestos",
                {"totalImpuestosTrasladados": "32.00"},
                [ExampleNode("cfdi:Traslados", children=[ExampleNode("cfdi:Traslado", moved)])],
            ),
        ],
    )
    change(root, changes or {})
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + root.write()


def with_certificate(text: str, credential: MintedCredential) -> etree._Element:
    """Return the document with a certificate and without a seal."""
    root = etree.fromstring(text.encode())
    root.set("noCertificado", credential.certificate.number)
    root.set("certificado", b64encode(credential.certificate_der).decode())
    return root


def sealed32(text: str, credential: MintedCredential) -> bytes:
    """Return a CFDI 3.2 with certificate and seal, made with libxslt and cryptography alone."""
    root = with_certificate(text, credential)
    key = load_der_private_key(credential.key_der, credential.password.encode())
    assert isinstance(key, RSAPrivateKey)
    cadena = str(document_stylesheet("3.2")(root)).encode()
    root.set("sello", b64encode(key.sign(cadena, PKCS1v15(), SHA1())).decode())
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def stamped32(sealed: bytes, provider: Provider) -> bytes:
    """Return the document with a stamp of version 1.0."""
    root = etree.fromstring(sealed)
    stamp = TimbreFiscalDigital(
        UUID, STAMPED_AT, provider.rfc, str(root.get("sello")), provider.certificate.number, version="1.0"
    )
    stamp = stamp.sealed(b64encode(provider.signer.sign(stamp.cadena_original.encode(), "sha1")).decode())
    complement = etree.SubElement(root, f"{{{CFD3}}}Complemento")
    complement.append(stamp_element10(stamp))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def cfd22(credential: MintedCredential) -> bytes:
    """Return a CFD 2.2 with a certificate; the SAT's data have no schema and no cadena original of the version."""
    root = with_certificate(comprobante32(namespace=CFD2), credential)
    root.set("noAprobacion", "123456")
    root.set("anoAprobacion", "2012")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")
