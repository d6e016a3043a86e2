"""What is true: the log, its proofs, its projections and its stores."""
