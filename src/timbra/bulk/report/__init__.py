"""The report of a run: queries over its tables, as text, HTML and a workbook."""
