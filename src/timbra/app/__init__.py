"""The composition root: builds services from settings and chooses the implementation of each port."""
