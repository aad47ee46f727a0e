"""The HTTP servers of the emulator: routes, scripted faults, control endpoints, listeners."""
