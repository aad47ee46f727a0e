"""The page of alerts, from their definitions."""

from __future__ import annotations

from timbra.operations.alert_rules import ALERT_RULES, AlertRule
from tools.markdown import paragraph
from tools.page_language import PageLanguage


def alerts_page(language: PageLanguage = PageLanguage.ENGLISH) -> str:
    """Return the page of alerts: what each one means, its severity and its condition."""
    text = language.text
    lines = [
        text("# Alerts", "# Alarmas"),
        "",
        *paragraph(
            text(
                "This page lists the alerts that Timbra has for Prometheus. They are in the package: `timbra "
                "monitoring rules` writes the file for `rule_files`, and `timbra monitoring dashboard` the dashboard "
                "for Grafana. `deploy/prometheus/timbra-alerts.yaml` and `deploy/grafana/timbra.json` are the same "
                "files. `deploy/prometheus/prometheus.yaml` queries two nodes: its job is named `timbra`, which "
                f"`TimbraNodeDown` requires. [The metrics]({language.link('operations.md')}#metrics) are described "
                "with the operation of a server.",
                "Esta página lista las alarmas que Timbra tiene para Prometheus. Están en el paquete: `timbra "
                "monitoring rules` escribe el archivo para `rule_files`, y `timbra monitoring dashboard` el tablero "
                "para Grafana. `deploy/prometheus/timbra-alerts.yaml` y `deploy/grafana/timbra.json` son los mismos "
                "archivos. `deploy/prometheus/prometheus.yaml` consulta dos nodos: su trabajo se llama `timbra`, que "
                f"`TimbraNodeDown` requiere. [Las métricas]({language.link('operations.md')}#metrics) se describen "
                "con la operación de un servidor.",
            )
        ),
        "",
        *paragraph(
            text(
                "`critical` needs a person at once, `warning` on the same day. A count of an alert is over all workers "
                "of one node; the deliveries are those of the whole installation, so that every node fires the same "
                "alert.",
                "`critical` requiere a una persona de inmediato, `warning` el mismo día. Las cuentas de una alarma son "
                "de todos los procesos de un nodo; las entregas son las de toda la instalación, de modo que cada nodo "
                "da la misma alarma.",
            )
        ),
    ]
    for rule in ALERT_RULES:
        lines += ["", f"## `{rule.name}`", "", *_description(rule, language)]
    return "\n".join(lines) + "\n"


def _description(rule: AlertRule, language: PageLanguage) -> list[str]:
    condition = (
        language.text("Condition:", "Condición:")
        if not rule.minutes
        else language.text(f"Condition, for {rule.minutes} min:", f"Condición, durante {rule.minutes} min:")
    )
    said = language.text(rule.meaning, _without_templates(rule.summary))
    return [*paragraph(f"`{rule.severity}`. {said} {condition}"), "", "```text", rule.condition.expression, "```"]


def _without_templates(summary: str) -> str:
    """Return a summary with the names of its labels and of its value in place of their templates."""
    parts = summary.split("{{")
    names = [part.partition("}}") for part in parts[1:]]
    found = [f"*{name.split()[0].removeprefix('$labels.').removeprefix('$')}*{rest}" for name, _, rest in names]
    return "".join([parts[0], *found])
