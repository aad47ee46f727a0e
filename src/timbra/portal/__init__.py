"""The portal in the browser."""
