"""Writes the scripted sessions of this example and the scripted replies of its graders.

    python -m examples.expense_analysis.script

1. No model is asked. Every line that is written says so: its ``metadata`` has ``"scripted": true``.
2. What a session says is data: ``scenarios`` has its choices and its mistakes, ``styles`` how its
   configuration writes. All amounts are added up from the entries of the reference ledger, mistakes
   applied (``spending``), so that an answer's tables agree with its mistakes.
3. What the extractor says of an answer and what the judge says of it follow from the same data. The
   requests that they answer are planned by the suite's own graders.
4. The same bytes each time: what varies, varies by name (``dice``), not by chance.
"""
