"""The machine behind a formula: algebra, unit check, generated code, evaluation, proofs, typesetting."""
