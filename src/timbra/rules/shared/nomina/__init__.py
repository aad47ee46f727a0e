"""What the books of Nómina 1.2 share: revision E for CFDI 4.0 and revision B for CFDI 3.3 number the same demands.

A function here answers for one demand; the books give it their code.
"""
