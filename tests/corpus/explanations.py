"""Causes of disagreements between documents and rule sets: one row for each, with the change that removes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase

from tests.corpus.handling import Handling


class Cause(StrEnum):
    """The kinds of disagreement."""

    SUSPENDED = "suspended by SAT"
    REVISION = "another revision"
    FIXTURE = "the document is wrong otherwise"
    REGISTRY = "the taxpayer is registered otherwise"
    CATALOG = "the catalog changed"
    STRUCTURE = "the structure answers first"


@dataclass(frozen=True)
class Explanation:
    """documents, code: patterns of names and codes. count: how many it explains. remedy: the change that removes the
    cause, None where no small change does.
    """

    documents: str
    code: str
    count: int
    cause: Cause
    text: str
    remedy: Handling | None = field(repr=False)

    def explains(self, name: str, code: str) -> bool:
        return fnmatchcase(code, self.code) and fnmatchcase(name, self.documents)


def explained(name: str, code: str) -> Iterator[Explanation]:
    """Return the rows for a disagreement; a correct table has one."""
    return (row for row in EXPLANATIONS if row.explains(name, code))


NTLINK = "NTlink_ntlink-ws-sdk"
SATCFDI = "SAT-CFDI_python-satcfdi"
GOBL = "invopop_gobl.cfdi"
SW = "lunasoft_sw-"
AS_CLAIMED = Handling(claimed=True)
INVENTED = "The library invents data for this test taxpayer; they are not those that SAT publishes."
WITHHELD = (r'ObjetoImp="02"(>\s*<cfdi:Impuestos>\s*<cfdi:Retenciones>)', r'ObjetoImp="06"\1')
"""A Concepto with ISR withheld and no transfer: its ObjetoImp is 06."""
MOVED = "A postal code that this test taxpayer had before; SAT publishes 86991."
MEDICINE = (
    " (DenominacionGenericaProd|DenominacionDistintivaProd|Fabricante|FechaCaducidad|LoteMedicamento|FormaFarmaceutica"
    '|CondicionesEspTransp|RegistroSanitarioFolioAutorizacion)="[^"]*"'
)
CARTA_PORTE = "lunasoft_SW-sdk-NetStandard/*CartaPorte*"
CAPITAL_REGIME = "The name carries a régimen de capital, as before 4.0 was demanded."

NTLINK_DRAFT = (
    (r' MetodoDePagoDR="[^"]*"', ""),
    ("ImporteDr=", "ImporteDR="),
    ("TotalTrasladosBaseExento=", "TotalTrasladosBaseIVAExento="),
)
"""Attributes of a draft of Pagos 2.0 that are not in its schema."""
Changes = tuple[tuple[str, str], ...]
TWICE = '<pago20:RetencionP ImpuestoP="001" ImporteP="0.10" />' * 2
PAYMENTS: dict[str, tuple[Changes | None, str]] = {
    "CRP20201": (
        (('TotalRetencionesIVA="[.]11"', 'TotalRetencionesIVA="0.11"'), (r"(</?pago20:Retencion)P>", r"\1esP>")),
        "An amount without a digit before its point, and a RetencionP that holds others (301).",
    ),
    "CRP20220": (
        ((' Monto="1.01"', ' Monto="999999999999999999.00"'),),
        "20.20 pesos pass no maximum that SAT publishes. Found once the code is switched on and the amount is great.",
    ),
    "CRP20263": (
        (('<pago20:RetencionesP ImpuestoP="001" ImporteP="0.10" />', TWICE),),
        "One RetencionesP stands where two RetencionP should, which the schema refuses (301).",
    ),
    "CRP20269": ((('TipoFactor="Exento"', 'TipoFactorP="Exento"'),), "TipoFactorP is written TipoFactor (301)."),
}
"""By the asserted code: the change that makes its document violate it, and why it does not without the change."""
DRAFTED = "It carries attributes of a draft of Pagos 2.0, which the schema does not know (301). Found without them."
SUSPENDED_PAYMENTS = ("CRP20216", "CRP20220")
PAYROLLS: dict[str, tuple[tuple[str, str] | None, Cause, str]] = {
    "NOM9": (None, Cause.REGISTRY, "Its worker is registered here as the document tells."),
    "NOM10": (None, Cause.STRUCTURE, "It lacks the required Curp: the structure answers first, with 301."),
    "NOM50": (
        (r'MontoRecursoPropio="0\.00">\s*<', 'MontoRecursoPropio="1.00"><'),
        Cause.FIXTURE,
        "Of mixed funds only 0.00 of 1.00 is its own, and an element without content holds a line break.",
    ),
    "NOM74": (('TotalExento="3.00"', 'TotalExento="2.00"'), Cause.FIXTURE, "TotalExento is the sum."),
    "NOM89": (
        ('TotalUnaExhibicion="1.0"', 'TotalUnaExhibicion="1.0" MontoDiario="1.0"'),
        Cause.FIXTURE,
        "Neither MontoDiario nor TotalParcialidad is there.",
    ),
    "NOM94": (
        ('TipoDeduccion="001"', 'TipoDeduccion="006"'),
        Cause.FIXTURE,
        "The key 006 is written as Clave, not as TipoDeduccion.",
    ),
}
"""By the asserted code: the change that makes its document violate it, and why it does not without the change."""


def _drafted(code: str) -> Explanation:
    changes, text = PAYMENTS.get(code, ((), DRAFTED))
    suspended = (code,) if code in SUSPENDED_PAYMENTS else ()
    remedy = None if changes is None else Handling(changes=changes, repairs=NTLINK_DRAFT, switched_on=suspended)
    cause = Cause.SUSPENDED if suspended else Cause.STRUCTURE
    return Explanation(f"{NTLINK}/{code}.xml", code, 1, cause, text, remedy)


def _payroll(code: str) -> Explanation:
    change, cause, text = PAYROLLS[code]
    remedy = None if change is None else Handling(changes=(change,))
    return Explanation(f"{NTLINK}/{code}.xml", code, 1, cause, text, remedy)


DRAFTS = (112, 118, 201, 216, 220, 263, 269)  # fmt: skip
ENDED = Handling(switched_off=("CFDI40999:Complemento-Vigencia",))

EXPLANATIONS = (
    *(_drafted(f"CRP20{number}") for number in DRAFTS),
    *map(_payroll, PAYROLLS),
    *(
        Explanation(
            f"{SW}{document}",
            "CFDI40999",
            1,
            Cause.REVISION,
            f"{edition} had not ended on the document's own day, from which it is moved.",
            ENDED,
        )
        for document, edition in (
            ("sdk-dotnet/xml40Comercio_Exterior.xml", "Comercio Exterior 1.1"),
            ("tools-dotnet/cfdi40_cp30.xml", "Carta Porte 3.0"),
        )
    ),
    Explanation(
        f"{NTLINK}/CFDI40120.xml",
        "CFDI40120",
        1,
        Cause.SUSPENDED,
        "Its amounts have 19 digits before the point, which the schema refuses (301). With 18, the code is found once "
        "it is switched on.",
        Handling(changes=((r"1000000000000000000\.00", "999999999999999999.00"),), switched_on=("CFDI40120",)),
    ),
    Explanation(
        f"{NTLINK}/CFDI40127.xml",
        "CFDI40127",
        1,
        Cause.SUSPENDED,
        "SAT does not ask for Confirmacion yet. Found once the code is switched on.",
        Handling(switched_on=("CFDI40127",)),
    ),
    Explanation(
        f"{NTLINK}/CFDI40129.xml",
        "CFDI40129",
        1,
        Cause.SUSPENDED,
        "SAT does not ask for Confirmacion yet. Found once the code is switched on and the registry saw this key.",
        Handling(switched_on=("CFDI40129",), used_keys=("C2A78",)),
    ),
    Explanation(
        f"{NTLINK}/CFDI40130.xml",
        "CFDI40130",
        1,
        Cause.REVISION,
        "The node is there and the receiver is not named PUBLICO EN GENERAL: its provider demanded of the node a "
        "receiver, the matrix of 2024 demands of such a receiver the node. Found with that name and without node.",
        Handling(
            changes=((r"<cfdi:InformacionGlobal [^>]*/>", ""), ("RAZON SOCIAL DE PRUEBA", "PUBLICO EN GENERAL")),
        ),
    ),
    Explanation(
        f"{NTLINK}/cfdi-global.xml",
        "CFDI40160",
        1,
        Cause.CATALOG,
        "P01 is a use of CFDI 3.3; the catalog of 4.0 has S01 in its place.",
        Handling(changes=(('UsoCFDI="P01"', 'UsoCFDI="S01"'),)),
    ),
    Explanation(
        f"{NTLINK}/pagos-impuestos.xml",
        "CFDI40158",
        1,
        Cause.FIXTURE,
        "A persona física receives with 601, a regime of personas morales.",
        Handling(changes=(('RegimenFiscalReceptor="601"', 'RegimenFiscalReceptor="626"'),)),
    ),
    Explanation(
        f"{NTLINK}/pagos-impuestos*.xml",
        "CRP20999",
        2,
        Cause.FIXTURE,
        "UsoCFDI is G01 in a payment, where the standard wants CP01; SAT's matrix has no code for it, so it warns.",
        Handling(changes=(('UsoCFDI="G01"', 'UsoCFDI="CP01"'),)),
    ),
    Explanation(
        f"{NTLINK}/pagos-impuestos.xml",
        "CRP20215",
        1,
        Cause.FIXTURE,
        "A payment in pesos without TipoCambioP.",
        Handling(changes=(('MonedaP="MXN"', 'MonedaP="MXN" TipoCambioP="1"'),)),
    ),
    Explanation(
        f"{SATCFDI}/pago_h&e951128469_ingreso_iva16.xml",
        "CRP20215",
        1,
        Cause.FIXTURE,
        "A payment in pesos without TipoCambioP.",
        Handling(changes=(('MonedaP="MXN"', 'MonedaP="MXN" TipoCambioP="1"'),)),
    ),
    Explanation(
        f"{SATCFDI}/pago_h&e951128469_ingreso_iva16.xml",
        "CRP20238",
        1,
        Cause.FIXTURE,
        "A document in the payment's currency without EquivalenciaDR.",
        Handling(changes=(('MonedaDR="MXN"', 'MonedaDR="MXN" EquivalenciaDR="1"'),)),
    ),
    Explanation(
        f"{SATCFDI}/*",
        "CFDI40105",
        15,
        Cause.FIXTURE,
        "MetodoPago PPD without FormaPago, where 99 is demanded.",
        Handling(changes=(('MetodoPago="PPD"', 'MetodoPago="PPD" FormaPago="99"'),)),
    ),
    Explanation(
        f"{SATCFDI}/*",
        "CFDI40141",
        27,
        Cause.FIXTURE,
        "The test issuers have a regime of the other kind of person: 601 for 13 characters, 606 for 12.",
        Handling(changes=(('(?<=XIMO QUEZADA" RegimenFiscal=")601|(?<= RegimenFiscal=")606', "626"),)),
    ),
    Explanation(
        f"{SATCFDI}/*",
        "CFDI33131",
        5,
        Cause.FIXTURE,
        "A test issuer of 13 characters has 601, a regime of personas morales.",
        Handling(changes=(('(?<= RegimenFiscal=")601', "612"),)),
    ),
    Explanation(
        f"{SW}sdk-dotnet/error.xml",
        "CFDI33149",
        1,
        Cause.FIXTURE,
        "One at 100.00 makes 200.00: its source has it refused, and does not say with which code.",
        Handling(changes=(('ValorUnitario="100.00"', 'ValorUnitario="200.00"'),)),
    ),
    Explanation(f"{SATCFDI}/*", "CFDI40139", 3, Cause.REGISTRY, INVENTED, AS_CLAIMED),
    Explanation(f"{SATCFDI}/*", "CFDI40145", 43, Cause.REGISTRY, INVENTED, AS_CLAIMED),
    Explanation(f"{SATCFDI}/*", "CFDI40148", 43, Cause.REGISTRY, INVENTED, AS_CLAIMED),
    Explanation(
        f"{SATCFDI}/*",
        "CFDI40999",
        42,
        Cause.REGISTRY,
        f"{INVENTED} One of these documents also has ObjetoImp 02 with Retenciones alone, which is a warning.",
        Handling(claimed=True, repairs=(WITHHELD,)),
    ),
    *(
        Explanation(
            f"lunasoft_SW-sdk-NetStandard/{name}.xml",
            "CFDI40999",
            1,
            Cause.FIXTURE,
            "ObjetoImp is 02 with Retenciones alone: the interface of the service demands Traslados, the matrix does "
            "not. It is a warning.",
            Handling(changes=(WITHHELD,)),
        )
        for name in ("CFDI40_Ingreso_ACuentaTerceros", "CFDI40_Ingreso_Global")
    ),
    Explanation(f"{GOBL}/*", "CFDI40148", 3, Cause.REGISTRY, MOVED, AS_CLAIMED),
    Explanation(f"{GOBL}/*", "CFDI40193", 1, Cause.REGISTRY, MOVED, AS_CLAIMED),
    Explanation(f"{SW}sdk-php/file_pdf.xml", "CFDI40148", 1, Cause.REGISTRY, MOVED, AS_CLAIMED),
    Explanation(
        f"{SW}sdk-dotnet/xml40Comercio_Exterior.xml",
        "CFDI40186",
        1,
        Cause.FIXTURE,
        "It withholds 0.00 of a base of 1 at 10 % and at 10.6666 %.",
        Handling(changes=(("0.100000|0.106666", "0.000000"),)),
    ),
    *(
        Explanation(
            f"{SW}tools-dotnet/cfdi40_cce20_2.xml",
            code,
            1,
            Cause.FIXTURE,
            "117.64 units at 12.78 dollars are not worth 25.56; two are.",
            Handling(changes=(('CantidadAduana="117.64"', 'CantidadAduana="2.00"'),)),
        )
        for code in ("CCE169", "CCE171")
    ),
    Explanation(
        f"{SW}tools-dotnet/cfdi40.xml",
        "CFDI40111",
        1,
        Cause.FIXTURE,
        "A document of type T with a Descuento of 0.",
        Handling(changes=((' Descuento="0"', ""),)),
    ),
    Explanation(
        f"{SW}tools-dotnet/cfdi40.xml",
        "CFDI40999",
        1,
        Cause.FIXTURE,
        "A document of type T with CondicionesDePago, which Anexo 20 does not admit there.",
        Handling(changes=((' CondicionesDePago="[^"]*"', ""),)),
    ),
    Explanation(
        "lunasoft_SW-sdk-NetStandard/CFDI40_Nomina_SeparacionIndemnizacion.xml",
        "NOM37",
        1,
        Cause.FIXTURE,
        "What is earned adds up to 10500.00, TotalPercepciones and the invoice say 10000.00.",
        Handling(
            changes=((r"(TotalPercepciones|SubTotal| Total|ValorUnitario|Importe)=\"10000\.00?\"", r'\1="10500.00"'),)
        ),
    ),
    Explanation(
        "lunasoft_SW-sdk-NetStandard/CFDI40_ComercioExterior_DiferentesMonedas.xml",
        "CFDI40161",
        1,
        Cause.FIXTURE,
        "UsoCFDI is CP01 for XEXX010101000, where the interface of the service demands S01.",
        Handling(changes=(('UsoCFDI="CP01"', 'UsoCFDI="S01"'),)),
    ),
    Explanation(f"{SW}tools-dotnet/cfdi40.xml", "CFDI40139", 1, Cause.REGISTRY, CAPITAL_REGIME, AS_CLAIMED),
    Explanation(f"{SW}tools-dotnet/cfdi40.xml", "CFDI40145", 1, Cause.REGISTRY, CAPITAL_REGIME, AS_CLAIMED),
    Explanation(f"{SW}tools-dotnet/cfdi40.xml", "CFDI40148", 1, Cause.REGISTRY, MOVED, AS_CLAIMED),
    Explanation(
        CARTA_PORTE,
        "CP159",
        8,
        Cause.FIXTURE,
        "Telephones have data of a medicine, without SectorCOFEPRIS. The matrix rejects them; the vendor stamps them. "
        "With `TIMBRA_VENDOR_LENIENCY=carta-porte` stamping accepts the document and validation warns.",
        Handling(changes=((MEDICINE, ""),)),
    ),
)
