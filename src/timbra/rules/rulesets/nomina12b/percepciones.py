"""Percepciones: NOM189 to NOM210."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import HorasExtra, JubilacionPensionRetiro, Nomina, Percepcion, Percepciones
from timbra.examples.codes.nomina12 import (
    invoice_amount,
    plain,
    receipt_of,
    with_incapacity,
    with_overtime,
    with_retirement_installments,
    with_separation,
    with_single_retirement,
)
from timbra.examples.codes.receipt import ReceiptPair
from timbra.examples.nomina12 import earned, overtime, shares
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.percepciones import (
    has_daily_amount_with_installments,
    has_incapacidades_with_014,
    has_installments_with_044,
    has_no_node_with_other_than,
    has_node_with,
    has_positive_amount,
    has_retirement_parts,
    has_separation_parts,
    has_single_payment_alone,
    has_single_payment_with_039,
    has_total_of_wages,
    incapacidades_equal_earnings_014,
)
from timbra.rules.shared.nomina.totales import (
    kinds_equal_gravado_and_exento,
    total_exento_equals_sum,
    total_gravado_equals_sum,
    total_jubilacion_equals_sum,
    total_separacion_equals_sum,
    total_sueldos_equals_sum,
)
from timbra.rules.shared.predicates import in_catalog

NOM189 = row(
    "NOM189",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="Los totales de sueldos, separación y jubilación deben sumar lo mismo que TotalGravado y TotalExento.",
    check=kinds_equal_gravado_and_exento,
    inseparable=("NOM193",),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Percepciones/@TotalGravado": "210.00"},
)


NOM190 = row(
    "NOM190",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSueldos",
    says="TotalSueldos debe ser la suma de las percepciones que no son de separación ni de jubilación.",
    check=total_sueldos_equals_sum,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails={
        "Complemento/Nomina/Percepciones/@TotalSueldos": "210.00",
        "Complemento/Nomina/@TotalPercepciones": "210.00",
        **invoice_amount("210.00"),
    },
)


NOM191 = row(
    "NOM191",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSeparacionIndemnizacion",
    says="TotalSeparacionIndemnizacion debe ser la suma de las percepciones 022, 023 y 025.",
    check=total_separacion_equals_sum,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails=with_separation.example(
        {
            "Complemento/Nomina/Percepciones/@TotalSeparacionIndemnizacion": "210.00",
            "Complemento/Nomina/@TotalPercepciones": "410.00",
            **invoice_amount("410.00"),
        }
    ),
)


NOM192 = row(
    "NOM192",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalJubilacionPensionRetiro",
    says="TotalJubilacionPensionRetiro debe ser la suma de las percepciones 039 y 044.",
    check=total_jubilacion_equals_sum,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails=with_single_retirement.example(
        {
            "Complemento/Nomina/Percepciones/@TotalJubilacionPensionRetiro": "210.00",
            "Complemento/Nomina/@TotalPercepciones": "410.00",
            **invoice_amount("410.00"),
        }
    ),
)


NOM193 = row(
    "NOM193",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalGravado",
    says="TotalGravado debe ser la suma de ImporteGravado de las percepciones.",
    check=total_gravado_equals_sum,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Percepciones/@TotalGravado": "190.00"},
)


NOM194 = row(
    "NOM194",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalExento",
    says="TotalExento debe ser la suma de ImporteExento de las percepciones.",
    check=total_exento_equals_sum,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Percepciones/@TotalExento": "10.00"},
)


NOM195 = row(
    "NOM195",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/@ImporteGravado",
    says="Con ImporteExento 0, ImporteGravado debe ser mayor que cero.",
    check=has_positive_amount,
    cites=MATRIX_B,
    fails=ReceiptPair(receipt_of(earned("001"), earned("046")), receipt_of(earned("001"), earned("046", "0.00"))),
)


NOM196 = row(
    "NOM196",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/@TipoPercepcion",
    says="TipoPercepcion debe ser una clave vigente de c_TipoPercepcion.",
    check=in_catalog("nomina12:c_TipoPercepcion", "TipoPercepcion"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Percepciones/Percepcion/@TipoPercepcion": "999"},
)


NOM197 = row(
    "NOM197",
    Percepciones,
    at="Complemento/Nomina/Percepciones/@TotalSueldos",
    says="TotalSueldos debe existir cuando hay percepciones que no son de separación ni de jubilación.",
    check=has_total_of_wages,
    inseparable=("NOM189",),
    cites=MATRIX_B,
    fails=with_separation.example(
        {
            "Complemento/Nomina/Percepciones/@TotalSueldos": None,
            "Complemento/Nomina/@TotalPercepciones": "200.00",
            **invoice_amount("200.00"),
        }
    ),
)


NOM198 = row(
    "NOM198",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="El total y el nodo de separación deben existir con percepciones 022, 023 o 025, y solo con ellas.",
    check=has_separation_parts,
    cites=MATRIX_B,
    fails=with_separation.example({"Complemento/Nomina/Percepciones/SeparacionIndemnizacion": None}),
)


NOM199 = row(
    "NOM199",
    Percepciones,
    at="Complemento/Nomina/Percepciones",
    says="El total y el nodo de jubilación deben existir con percepciones 039 o 044, y solo con ellas.",
    check=has_retirement_parts,
    cites=MATRIX_B,
    fails=with_single_retirement.example({"Complemento/Nomina/Percepciones/JubilacionPensionRetiro": None}),
)


NOM200 = row(
    "NOM200",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion",
    says="Con la percepción 039 debe existir TotalUnaExhibicion, sin TotalParcialidad ni MontoDiario.",
    check=has_single_payment_with_039,
    cites=MATRIX_B,
    fails=with_single_retirement.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion": None}
    ),
)


NOM201 = row(
    "NOM201",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad",
    says="Con la percepción 044 deben existir TotalParcialidad y MontoDiario, sin TotalUnaExhibicion.",
    check=has_installments_with_044,
    cites=MATRIX_B,
    fails=with_retirement_installments.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad": None}
    ),
)


NOM202 = row(
    "NOM202",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/AccionesOTitulos",
    says="AccionesOTitulos debe existir con la percepción 045.",
    check=has_node_with("045", "acciones"),
    cites=MATRIX_B,
    fails=ReceiptPair(receipt_of(earned("045", "200.00", "0.00", shares())), receipt_of(earned("045"))),
)


NOM203 = row(
    "NOM203",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/AccionesOTitulos",
    says="AccionesOTitulos no debe existir con una percepción distinta de 045.",
    check=has_no_node_with_other_than("045", "AccionesOTitulos", "acciones"),
    cites=MATRIX_B,
    fails=ReceiptPair(plain, receipt_of(earned("001", "200.00", "0.00", shares()))),
)


NOM204 = row(
    "NOM204",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra",
    says="HorasExtra debe existir con la percepción 019.",
    check=has_node_with("019", "horas_extra"),
    cites=MATRIX_B,
    fails=ReceiptPair(receipt_of(earned("019", "200.00", "0.00", overtime())), receipt_of(earned("019"))),
)


NOM205 = row(
    "NOM205",
    Percepcion,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra",
    says="HorasExtra no debe existir con una percepción distinta de 019.",
    check=has_no_node_with_other_than("019", "HorasExtra", "horas_extra"),
    cites=MATRIX_B,
    fails=ReceiptPair(plain, receipt_of(earned("001", "200.00", "0.00", overtime()))),
)


NOM206 = row(
    "NOM206",
    Nomina,
    at="Complemento/Nomina/Incapacidades",
    says="Incapacidades debe existir con la percepción 014.",
    check=has_incapacidades_with_014,
    cites=MATRIX_B,
    fails=with_incapacity.example({"Complemento/Nomina/Incapacidades": None}),
)


NOM207 = row(
    "NOM207",
    Nomina,
    at="Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario",
    says="La suma de ImporteMonetario debe ser el importe de la percepción 014.",
    check=incapacidades_equal_earnings_014,
    cites=MATRIX_B,
    fails=with_incapacity.example({"Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario": "100.00"}),
)


NOM208 = row(
    "NOM208",
    HorasExtra,
    at="Complemento/Nomina/Percepciones/Percepcion/HorasExtra/@TipoHoras",
    says="TipoHoras debe ser una clave vigente de c_TipoHoras.",
    check=in_catalog("nomina12:c_TipoHoras", "TipoHoras"),
    cites=MATRIX_B,
    fails=with_overtime.example({"Complemento/Nomina/Percepciones/Percepcion/HorasExtra/@TipoHoras": "09"}),
)


NOM209 = row(
    "NOM209",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalUnaExhibicion",
    says="Con TotalUnaExhibicion no deben existir MontoDiario ni TotalParcialidad.",
    check=has_single_payment_alone,
    inseparable=("NOM200",),
    cites=MATRIX_B,
    fails=with_single_retirement.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@MontoDiario": "10.00"}
    ),
)


NOM210 = row(
    "NOM210",
    JubilacionPensionRetiro,
    at="Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@TotalParcialidad",
    says="Con TotalParcialidad debe existir MontoDiario y no TotalUnaExhibicion.",
    check=has_daily_amount_with_installments,
    inseparable=("NOM201",),
    cites=MATRIX_B,
    fails=with_retirement_installments.example(
        {"Complemento/Nomina/Percepciones/JubilacionPensionRetiro/@MontoDiario": None}
    ),
)
