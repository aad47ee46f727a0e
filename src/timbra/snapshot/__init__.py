"""The SAT data snapshot: where it lies, what is in it, whether it is whole.

`timbra data build` makes it from a pinned wheel and the project's own tables; nothing is fetched at run time.
"""
