"""The first dictionary of the codec: the text of nearly every stamped CFDI, the most frequent parts last.

It must never change: stored documents cannot be read without the dictionary with which they were written. A better one
becomes a second dictionary with a codec number of its own.
"""

from __future__ import annotations

# Base64 of the issuer's name in certificates of the SAT's current authorities, at the same offset in each certificate.
_ISSUER_2019 = (
    b"BQAwggGEMSAwHgYDVQQDDBdBVVRPUklEQUQgQ0VSVElGSUNBRE9SQTEuMCwGA1UECgwlU0VSVklDSU8gREUgQURNSU5JU1RSQUNJ"
    b"T04gVFJJQlVUQVJJQTEaMBgGA1UECwwRU0FULUlFUyBBdXRob3JpdHkxKjAoBgkqhkiG9w0BCQEWG2NvbnRhY3RvLnRlY25pY29A"
    b"c2F0LmdvYi5teDEmMCQGA1UECQwdQVYuIEhJREFMR08gNzcsIENPTC4gR1VFUlJFUk8xDjAMBgNVBBEMBTA2MzAwMQswCQYDVQQG"
    b"EwJNWDEZMBcGA1UECAwQQ0lVREFEIERFIE1FWElDTzETMBEGA1UEBwwKQ1VBVUhURU1PQzEVMBMGA1UELRMMU0FUOTcwNzAxTk4z"
    b"MVwwWgYJKoZIhvcNAQkCE01yZXNwb25zYWJsZTogQURNSU5JU1RSQUNJT04gQ0VOVFJBTCBERSBTRVJWSUNJT1MgVFJJQlVUQVJJ"
    b"T1MgQUwgQ09OVFJJQlVZRU5U"
)
_ISSUER_2023 = (
    b"BQAwggGVMTUwMwYDVQQDDCxBQyBERUwgU0VSVklDSU8gREUgQURNSU5JU1RSQUNJT04gVFJJQlVUQVJJQTEuMCwGA1UECgwlU0VS"
    b"VklDSU8gREUgQURNSU5JU1RSQUNJT04gVFJJQlVUQVJJQTEaMBgGA1UECwwRU0FULUlFUyBBdXRob3JpdHkxMjAwBgkqhkiG9w0B"
    b"CQEWI3NlcnZpY2lvc2FsY29udHJpYnV5ZW50ZUBzYXQuZ29iLm14MSYwJAYDVQQJDB1Bdi4gSGlkYWxnbyA3NywgQ29sLiBHdWVy"
    b"cmVybzEOMAwGA1UEEQwFMDYzMDAxCzAJBgNVBAYTAk1YMQ0wCwYDVQQIDARDRE1YMRMwEQYDVQQHDApDVUFVSFRFTU9DMRUwEwYD"
    b"VQQtEwxTQVQ5NzA3MDFOTjMxXDBaBgkqhkiG9w0BCQITTXJlc3BvbnNhYmxlOiBBRE1JTklTVFJBQ0lPTiBDRU5UUkFMIERFIFNF"
    b"UlZJQ0lPUyBUUklCVVRBUklPUyBBTCBDT05UUklCVVlFTlRF"
)
_COMPLEMENTS = (
    b' xmlns:pago20="http://www.sat.gob.mx/Pagos20" xmlns:nomina12="http://www.sat.gob.mx/nomina12"'
    b' xmlns:cartaporte31="http://www.sat.gob.mx/CartaPorte31"'
    b" http://www.sat.gob.mx/Pagos20 http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
    b" http://www.sat.gob.mx/nomina12 http://www.sat.gob.mx/sitio_internet/cfd/nomina/nomina12.xsd"
    b'<pago20:Pagos Version="2.0"><pago20:Totales TotalTrasladosBaseIVA16="" TotalTrasladosImpuestoIVA16=""'
    b' MontoTotalPagos=""/><pago20:Pago FechaPago="202" FormaDePagoP="03" MonedaP="MXN" TipoCambioP="1" Monto="">'
    b'<pago20:DoctoRelacionado IdDocumento="" Serie="" Folio="" MonedaDR="MXN" EquivalenciaDR="1" NumParcialidad="1"'
    b' ImpSaldoAnt="" ImpPagado="" ImpSaldoInsoluto="0.00" ObjetoImpDR="02"><pago20:ImpuestosDR><pago20:TrasladosDR>'
    b'<pago20:TrasladoDR BaseDR="" ImpuestoDR="002" TipoFactorDR="Tasa" TasaOCuotaDR="0.160000" ImporteDR=""/>'
    b"</pago20:TrasladosDR></pago20:ImpuestosDR></pago20:DoctoRelacionado><pago20:ImpuestosP><pago20:TrasladosP>"
    b'<pago20:TrasladoP BaseP="" ImpuestoP="002" TipoFactorP="Tasa" TasaOCuotaP="0.160000" ImporteP=""/>'
    b"</pago20:TrasladosP></pago20:ImpuestosP></pago20:Pago></pago20:Pagos>"
    b'<nomina12:Nomina Version="1.2" TipoNomina="O" FechaPago="202" FechaInicialPago="202" FechaFinalPago="202"'
    b' NumDiasPagados="" TotalPercepciones="" TotalDeducciones="" TotalOtrosPagos=""><nomina12:Emisor'
    b' RegistroPatronal=""/><nomina12:Receptor Curp="" NumSeguridadSocial="" FechaInicioRelLaboral="" Antig\xc3\xbcedad'
    b'="" TipoContrato="01" TipoJornada="01" TipoRegimen="02" NumEmpleado="" Departamento="" Puesto="" RiesgoPuesto="1"'
    b' PeriodicidadPago="04" SalarioBaseCotApor="" SalarioDiarioIntegrado="" ClaveEntFed=""/><nomina12:Percepciones'
    b' TotalSueldos="" TotalGravado="" TotalExento=""><nomina12:Percepcion TipoPercepcion="001" Clave="" Concepto="'
    b'Sueldo" ImporteGravado="" ImporteExento="0.00"/></nomina12:Percepciones><nomina12:Deducciones'
    b' TotalOtrasDeducciones="" TotalImpuestosRetenidos=""><nomina12:Deduccion TipoDeduccion="002" Clave="" Concepto="'
    b'ISR" Importe=""/></nomina12:Deducciones><nomina12:OtrosPagos><nomina12:OtroPago TipoOtroPago="002" Clave=""'
    b' Concepto="Subsidio para el empleo" Importe="0.00"><nomina12:SubsidioAlEmpleo SubsidioCausado="0.00"/>'
    b"</nomina12:OtroPago></nomina12:OtrosPagos></nomina12:Nomina>"
)
_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4"'
    b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.sat.gob.mx/cfd/4'
    b' http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd" Version="4.0" Serie="A" Folio="" Fecha="202'
    b'" Sello="" FormaPago="03" NoCertificado="00001000000" Certificado="MIIF'
)
_AMOUNTS = (
    b'" CondicionesDePago="CONTADO" SubTotal="" Descuento="0.00" Moneda="MXN" TipoCambio="1" Total="'
    b'" TipoDeComprobante="I" Exportacion="01" MetodoPago="PPD" MetodoPago="PUE" LugarExpedicion="'
)
_PARTIES = (
    b'"><cfdi:InformacionGlobal Periodicidad="01" Meses="" A\xc3\xb1o="202"/><cfdi:CfdiRelacionados TipoRelacion="01">'
    b'<cfdi:CfdiRelacionado UUID=""/></cfdi:CfdiRelacionados>'
    b'<cfdi:Emisor Rfc="" Nombre="" RegimenFiscal="612"/><cfdi:Emisor Rfc="" Nombre="" RegimenFiscal="601"/>'
    b'<cfdi:Receptor Rfc="XAXX010101000" Nombre="PUBLICO EN GENERAL" DomicilioFiscalReceptor=""'
    b' RegimenFiscalReceptor="616" UsoCFDI="S01"/><cfdi:Receptor Rfc="" Nombre="" DomicilioFiscalReceptor=""'
    b' RegimenFiscalReceptor="601" UsoCFDI="CP01"/><cfdi:Receptor Rfc="" UsoCFDI="G03"/>'
)
_CONCEPTOS = (
    b'<cfdi:Conceptos><cfdi:Concepto ClaveProdServ="84111506" NoIdentificacion="" Cantidad="1" ClaveUnidad="ACT"'
    b' Unidad="" Descripcion="Pago" ValorUnitario="0" Importe="0" ObjetoImp="01"/>'
    b'<cfdi:Concepto ClaveProdServ="01010101" NoIdentificacion="" Cantidad="1.00" ClaveUnidad="E48" ClaveUnidad="H87"'
    b' Unidad="Pieza" Descripcion="" ValorUnitario="" Importe="" Descuento="0.00" ObjetoImp="02"><cfdi:Impuestos>'
    b'<cfdi:Traslados><cfdi:Traslado Base="" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe=""/>'
    b'</cfdi:Traslados><cfdi:Retenciones><cfdi:Retencion Base="" Impuesto="001" TipoFactor="Tasa"'
    b' TasaOCuota="0.100000" Importe=""/></cfdi:Retenciones></cfdi:Impuestos></cfdi:Concepto></cfdi:Conceptos>'
)
_TAXES = (
    b'<cfdi:Impuestos TotalImpuestosRetenidos="" TotalImpuestosTrasladados="">'
    b'<cfdi:Retenciones><cfdi:Retencion Impuesto="001" Importe=""/></cfdi:Retenciones>'
    b'<cfdi:Traslados><cfdi:Traslado Base="" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe=""/>'
    b"</cfdi:Traslados></cfdi:Impuestos><cfdi:Complemento>"
)
_TFD = (
    b'<tfd:TimbreFiscalDigital xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital"'
    b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    b' xsi:schemaLocation="http://www.sat.gob.mx/TimbreFiscalDigital'
    b' http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd" Version="1.1"'
    b' UUID="" FechaTimbrado="202" RfcProvCertif="" SelloCFD="" NoCertificadoSAT="00001000000" SelloSAT="'
    b'=="/></cfdi:Complemento></cfdi:Comprobante>'
)

DICTIONARY_1 = b"".join((_ISSUER_2019, _ISSUER_2023, _COMPLEMENTS, _PARTIES, _CONCEPTOS, _TAXES, _AMOUNTS, _HEAD, _TFD))
