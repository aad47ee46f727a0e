"""The functions of `import timbra`; `timbra.__all__` has their names."""
