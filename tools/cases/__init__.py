"""`cfdi-cases`: the example documents of all rules as data, and a runner that compares the answers of programs."""
