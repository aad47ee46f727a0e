"""Documents with wrong namespaces, prefixes and schema locations, for the examples of `rulesets.declarations`."""

from __future__ import annotations

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.complements.institutions import leyendas_fiscales
from timbra.examples.complements.money import spei
from timbra.examples.comprobante import CFDI33, CFDI40
from timbra.examples.pagos20 import NAMESPACE, SCHEMA, pago

UNUSED_NAMESPACE = "http://www.sat.gob.mx/leyendasFiscales"


def invoice_before_its_version() -> str:
    """Return an invoice of version 4.0, of the day before that version began."""
    return ingreso(fecha="2021-12-31T12:00:00")


def invoice_with_schema_of_33() -> str:
    """Return an invoice of version 4.0 with the address of the schema of version 3.3."""
    return ingreso({"@xsi:schemaLocation": f"{CFDI40.namespace} {CFDI33.schema}"})


def invoice_without_prefix() -> str:
    """Return an invoice whose nodes have no prefix."""
    return ingreso().replace("xmlns:cfdi=", "xmlns=").replace("cfdi:", "")


def invoice_with_unused_namespace() -> str:
    """Return an invoice that declares the namespace of a complement that it does not have."""
    return ingreso({"@xmlns:leyendasFisc": UNUSED_NAMESPACE})


def payment_with_two_prefixes() -> str:
    """Return a receipt of payments that declares the namespace of its complement twice."""
    return pago({"@xmlns:pagos": NAMESPACE})


def payment_with_other_prefix() -> str:
    """Return a receipt of payments whose complement has another prefix than `pago20`."""
    return pago().replace("pago20:", "pagos:").replace("xmlns:pago20=", "xmlns:pagos=")


def payment_with_namespace_in(path: str) -> str:
    """Return a receipt of payments that declares the namespace of its complement in the node of that path."""
    return pago({"@xmlns:pago20": None, f"{path}/@xmlns:pago20": NAMESPACE})


def namespace_in_complement() -> str:
    """Return a receipt of payments that declares the namespace of its complement in the complement."""
    return payment_with_namespace_in("Complemento/Pagos")


def namespace_in_complemento() -> str:
    """Return a receipt of payments that declares the namespace of its complement in the node Complemento."""
    return payment_with_namespace_in("Complemento")


def payment_without_schema() -> str:
    """Return a receipt of payments whose xsi:schemaLocation lacks the schema of its complement."""
    return pago({"@xsi:schemaLocation": f"{CFDI40.namespace} {CFDI40.schema}"})


def payment_with_schema_in_complement() -> str:
    """Return a receipt of payments whose complement has an xsi:schemaLocation of its own."""
    return pago({"Complemento/Pagos/@xsi:schemaLocation": f"{NAMESPACE} {SCHEMA}"})


def legend_in_33() -> str:
    """Return an invoice of version 3.3 with a complement that its cadena original includes."""
    return leyendas_fiscales(version=CFDI33.version)


def transfer_in_33() -> str:
    """Return an invoice of version 3.3 with a complement that its cadena original does not include."""
    return spei(version=CFDI33.version)


def early_exportacion() -> str:
    """Return an invoice with Comercio Exterior 2.0, of the day before that version began."""
    return exportacion(fecha="2024-01-17T12:00:00")
