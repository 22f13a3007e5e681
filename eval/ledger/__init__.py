"""Ledger, onset, screening, gates and signed replay of panel debates (L26)."""
