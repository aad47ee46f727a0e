"""Validation of millions of documents: sources, plan, engines, the Parquet dataset of results, and its report."""
