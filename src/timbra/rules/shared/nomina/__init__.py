"""Predicates that the rule sets of Nómina 1.2 share: revision E for CFDI 4.0 and revision B for CFDI 3.3.

The two revisions give the same requirements different codes. A predicate here implements one requirement; the records
of the rule sets assign the code.
"""
