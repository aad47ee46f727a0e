"""Drills: faults in a rehearsal under load, and what the operator was told of each."""
