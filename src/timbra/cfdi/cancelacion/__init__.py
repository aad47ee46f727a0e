"""Documents of the SAT's cancellation services: requests that a taxpayer signs, and the acuses that answer them."""
