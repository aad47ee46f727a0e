"""What the books of both versions of Recepción de Pagos share."""
