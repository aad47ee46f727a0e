"""Actividad, Yacimiento and their levels: GCEH117 to GCEH131.

The SAT's error texts of GCEH117 to GCEH122 describe other cases than the validations of the matrix, which are followed.
"""

from __future__ import annotations

from collections.abc import Mapping

from timbra.cfdi.nodes.gceh10 import Actividades, CentroCostos, Level, Pozos, SubActividades, Tareas, Yacimientos
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import row
from timbra.rules.shared.predicates import in_catalog, key_of

ACTIVITIES, SUB_ACTIVITIES, TASKS = "gceh10:c_Actividad", "gceh10:c_SubActividad", "gceh10:c_Tarea"
OF_ACTIVITY, OF_SUB_ACTIVITY = "actividad", "subactividad"
"""Columns with the parent keys of a key."""


def others_are_absent_without_value(level: Level, _ctx: EvaluationContext) -> RuleResult:
    """Without the attribute of this level, the attributes of the other two are absent."""
    present = [name for name, exists in level.others.items() if exists]
    if level.value is not None or not present:
        return None
    return Violation(expected=f"un valor, como {' y '.join(present)}")


def others_are_present_with_value(level: Level, _ctx: EvaluationContext) -> RuleResult:
    """With the attribute of this level, the attributes of the other two are present."""
    missing = [name for name, exists in level.others.items() if not exists]
    if level.value is None or not missing:
        return None
    return Violation(found=level.value, expected=f"que existan también {' y '.join(missing)}")


def sub_activity_is_of_activity(sub: SubActividades, ctx: EvaluationContext) -> RuleResult:
    """SubActividadRelacionada is a key of its catalog, of ActividadRelacionada."""
    (activity,) = sub.above
    return _is_key_of_parents(ctx, SUB_ACTIVITIES, sub.value, {OF_ACTIVITY: activity})


def task_is_of_sub_activity(task: Tareas, ctx: EvaluationContext) -> RuleResult:
    """TareaRelacionada is a key of its catalog, of SubActividadRelacionada and ActividadRelacionada."""
    activity, sub = task.above
    return _is_key_of_parents(ctx, TASKS, task.value, {OF_SUB_ACTIVITY: sub, OF_ACTIVITY: activity})


def _is_key_of_parents(
    ctx: EvaluationContext, catalog: str, key: str | None, parents: Mapping[str, str | None]
) -> RuleResult:
    """Check that a key, when present, is in the catalog with the parent keys that are present.

    Args:
        ctx: evaluation context.
        catalog: name of the catalog.
        key: the key.
        parents: by column of the catalog, the parent key; None when absent.
    """
    if key is None:
        return None
    row = ctx.row(catalog, key)
    if row is None:
        return key_of(ctx, catalog, key)
    for column, value in parents.items():
        if not ctx.catalogs.has(catalog, column):
            return Indeterminate(f"{catalog}.{column}")
        if value is not None and row[column] != value:
            return Violation(found=key, expected=f"una clave de {catalog.rpartition(':')[2]} cuya {column} sea {value}")
    return None


GCEH117 = row(
    "GCEH117",
    Actividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/@ActividadRelacionada",
    says="Sin ActividadRelacionada no deben existir SubActividadRelacionada ni TareaRelacionada.",
    check=others_are_absent_without_value,
    inseparable=("GCEH120", "GCEH122"),
)


GCEH118 = row(
    "GCEH118",
    Actividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/@ActividadRelacionada",
    says="Con ActividadRelacionada deben existir también SubActividadRelacionada y TareaRelacionada.",
    check=others_are_present_with_value,
)


GCEH119 = row(
    "GCEH119",
    SubActividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/@SubActividadRelacionada",
    says="Sin SubActividadRelacionada no deben existir ActividadRelacionada ni TareaRelacionada.",
    check=others_are_absent_without_value,
    inseparable=("GCEH118",),
)


GCEH120 = row(
    "GCEH120",
    SubActividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/@SubActividadRelacionada",
    says="Con SubActividadRelacionada deben existir también ActividadRelacionada y TareaRelacionada.",
    check=others_are_present_with_value,
    inseparable=("GCEH118",),
)


GCEH121 = row(
    "GCEH121",
    Tareas,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/Tareas/@TareaRelacionada",
    says="Sin TareaRelacionada no deben existir ActividadRelacionada ni SubActividadRelacionada.",
    check=others_are_absent_without_value,
    inseparable=("GCEH118", "GCEH120"),
)


GCEH122 = row(
    "GCEH122",
    Tareas,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/Tareas/@TareaRelacionada",
    says="Con TareaRelacionada deben existir también ActividadRelacionada y SubActividadRelacionada.",
    check=others_are_present_with_value,
    inseparable=("GCEH117", "GCEH119"),
)


GCEH123 = row(
    "GCEH123",
    Actividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/@ActividadRelacionada",
    says="ActividadRelacionada debe ser una clave del catálogo de actividades.",
    check=in_catalog(ACTIVITIES, "value"),
)


GCEH124 = row(
    "GCEH124",
    SubActividades,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/@SubActividadRelacionada",
    says=("SubActividadRelacionada debe ser una clave del catálogo de subactividades, de ActividadRelacionada."),
    check=sub_activity_is_of_activity,
)


GCEH125 = row(
    "GCEH125",
    Tareas,
    at="Complemento/GastosHidrocarburos/Erogacion/Actividades/SubActividades/Tareas/@TareaRelacionada",
    says=("TareaRelacionada debe ser una clave del catálogo de tareas, de la subactividad y actividad dadas."),
    check=task_is_of_sub_activity,
)


GCEH126 = row(
    "GCEH126",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Sin Campo no deben existir Yacimiento ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH129", "GCEH131"),
)


GCEH127 = row(
    "GCEH127",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Con Campo deben existir también Yacimiento y Pozo.",
    check=others_are_present_with_value,
)


GCEH128 = row(
    "GCEH128",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Sin Yacimiento no deben existir Campo ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127",),
)


GCEH129 = row(
    "GCEH129",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Con Yacimiento deben existir también Campo y Pozo.",
    check=others_are_present_with_value,
    inseparable=("GCEH127",),
)


GCEH130 = row(
    "GCEH130",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Sin Pozo no deben existir Campo ni Yacimiento.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127", "GCEH129"),
)


GCEH131 = row(
    "GCEH131",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Con Pozo deben existir también Campo y Yacimiento.",
    check=others_are_present_with_value,
    inseparable=("GCEH126", "GCEH128"),
)
