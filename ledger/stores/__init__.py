"""The only files of the ledger that touch disk or network; ``cli/setting`` alone names them."""
