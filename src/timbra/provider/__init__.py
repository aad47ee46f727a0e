"""The identity of a certification provider (PAC): its RFC, its certificates and the keys with which it stamps."""
