"""The command line: options in, one call, text out."""
