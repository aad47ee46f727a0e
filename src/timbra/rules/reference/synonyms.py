"""Words of searches: those that mean the same, and those that mean nothing."""

from __future__ import annotations

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("redondeo", "redondear", "redondeada", "redondeado", "decimales"),
    ("folio", "UUID"),
    ("timbre", "timbrado", "TimbreFiscalDigital"),
    ("sello", "firma"),
    ("certificado", "CSD"),
    ("factura", "comprobante", "CFDI"),
    ("receptor", "cliente"),
    ("moneda", "divisa"),
    ("importe", "monto", "cantidad"),
    ("precio", "ValorUnitario"),
    ("descuento", "bonificación", "rebaja"),
    ("combustible", "gasolina", "hidrocarburos", "petrolíferos"),
    ("domicilio", "dirección"),
    ("trabajador", "empleado"),
    ("sueldo", "salario"),
    ("vencido", "caduco", "vigencia", "vigente"),
    ("pedimento", "aduana", "aduanero"),
    ("contraseña", "password"),
    ("cancelación", "cancelar", "cancelado"),
    ("duplicado", "repetido"),
    ("transporte", "transportista", "autotransporte"),
    ("69-B", "EFOS"),
)
"""Groups of words; a search for one of a group also finds the others, after the word itself."""

STOP_WORDS = frozenset(
    {
        "a", "al", "con", "cual", "cuando", "de", "del", "e", "el", "en", "es", "esta", "este", "la", "las", "lo",
        "los", "más", "no", "o", "para", "por", "que", "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "un",
        "una", "uno", "y", "debe", "deben",
    }
)  # fmt: skip
"""Words that a search ignores."""
