"""Examples of rules about INE 1.1: INE180 to INE188."""

from __future__ import annotations

from timbra.examples.codes.example import Example, differ
from timbra.examples.ine11 import ine
from timbra.examples.tree import Change, ExampleNode

INE = "Complemento/INE"
STATE = f"{INE}/Entidad"


def of(process: str, committee: str | None, *states: ExampleNode, **attributes: str) -> dict[str, Change]:
    """Process, committee, states, and other attributes of the complement."""
    head = {f"{INE}/@TipoProceso": process, f"{INE}/@TipoComite": committee}
    return {
        **head,
        **{f"{INE}/@{name}": value for name, value in attributes.items()},
        **{f"{STATE}[{place}]": state for place, state in enumerate(states, 1)},
    }


def state(key: str, scope: str | None = None) -> ExampleNode:
    return ExampleNode("ine:Entidad", {"ClaveEntidad": key} | ({"Ambito": scope} if scope else {}))


def local() -> ExampleNode:
    return state("AGU", "Local")


def campaign(*states: ExampleNode, **attributes: str) -> dict[str, Change]:
    return of("Campaña", None, *states, **attributes)


INE11: dict[str, Example] = {
    "INE180": differ(ine, of("Ordinario", None)),
    "INE181": differ(ine, campaign(state("AGU")), campaign(local())),
    "INE182": differ(ine, of("Precampaña", "Ejecutivo Nacional", local()), campaign(local())),
    "INE183": differ(ine, campaign(local(), IdContabilidad="123"), campaign(local())),
    "INE184": differ(ine, of("Ordinario", "Ejecutivo Nacional", state("AGU"))),
    "INE185": differ(
        ine,
        of("Ordinario", "Ejecutivo Estatal", state("AGU"), IdContabilidad="123"),
        of("Ordinario", "Ejecutivo Estatal", state("AGU")),
    ),
    "INE186": differ(ine, of("Ordinario", "Directivo Estatal"), of("Ordinario", "Directivo Estatal", state("AGU"))),
    "INE187": differ(ine, campaign(local(), local()), campaign(local(), state("AGU", "Federal"))),
    "INE188": differ(ine, campaign(state("NAC", "Local")), campaign(state("NAC", "Federal"))),
}
