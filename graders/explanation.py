"""Explanations: a diagnosis of a total, said in the form that every grader returns."""

from graders import diagnosis
from graders.grader import Diagnosis


def state_diagnosis(found: diagnosis.Diagnosis) -> Diagnosis:
    """Return ``found`` in words, with each candidate cause by itself."""
    causes = tuple(
        dict.fromkeys(
            diagnosis.format_cause(explanation, found.category, found.period)
            for explanation in found.explanations
            if explanation.mistakes
        )
    )
    return Diagnosis(
        subject=f"{found.category} {found.period}",
        statement=diagnosis.format_diagnosis(found),
        causes=causes,
    )
