"""Changes for the examples of rules of INE 1.1."""

from __future__ import annotations

from timbra.examples.tree import Change, ExampleNode

INE = "Complemento/INE"
STATE = f"{INE}/Entidad"


def with_process(process: str, committee: str | None, *states: ExampleNode, **attributes: str) -> dict[str, Change]:
    """Return changes of TipoProceso, TipoComite, Entidad and other attributes of the complement."""
    head = {f"{INE}/@TipoProceso": process, f"{INE}/@TipoComite": committee}
    return {
        **head,
        **{f"{INE}/@{name}": value for name, value in attributes.items()},
        **{f"{STATE}[{place}]": state for place, state in enumerate(states, 1)},
    }


def state(key: str, scope: str | None = None) -> ExampleNode:
    """Return an Entidad with ClaveEntidad and, if given, Ambito."""
    return ExampleNode("ine:Entidad", {"ClaveEntidad": key} | ({"Ambito": scope} if scope else {}))


def local() -> ExampleNode:
    """Return an Entidad with Ambito Local."""
    return state("AGU", "Local")


def campaign(*states: ExampleNode, **attributes: str) -> dict[str, Change]:
    """Return changes of a complement with TipoProceso Campaña."""
    return with_process("Campaña", None, *states, **attributes)
