"""A request in, a result with its raw bytes out."""
