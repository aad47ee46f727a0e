"""The path of the form, below which its other pages are."""

PATH = "/portal/nueva-factura"
