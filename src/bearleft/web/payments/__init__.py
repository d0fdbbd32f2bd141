"""Payments: rates of the papers, amounts from stored answers, a ledger, and batches for platforms."""
