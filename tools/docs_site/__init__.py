"""Builder of the documentation site, which `timbra serve` serves at /docs: `make docs-site`."""
