"""Emulator of the SAT's services for providers (PAC), over HTTP and over the ledger of the sandbox.

`simulated_sat` has the ports to the sandbox, `services` the services, `server` the HTTP listeners and the control
endpoints. What the public sources leave open is decided in docs/decisions.
"""
