"""The seeded defects keep fitting the product: one that no longer does would prove nothing."""

import pytest

from tests.crash.mutants import FENCES, MUTANTS
from tests.crash.points import before_commit, points
from tests.crash.scenarios import scenarios


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.rule)
def test_a_seeded_defect_fits_the_source(mutant):
    mutant.check()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.rule)
def test_a_seeded_defect_names_points_that_are_there(mutant):
    known, days = points(), [scenario.name for scenario in scenarios()]

    assert all(any(name.startswith(cell[0]) for name in days) for cell in mutant.cells)
    assert mutant.cells
    assert not [cell for cell in mutant.cells if cell[1] not in known]
    assert not [c for c in mutant.cells if c[2] == "answer lost" and not before_commit(c[1], known[c[1]])]


def test_there_are_enough_of_them():
    assert len(MUTANTS) >= 40
    assert len(FENCES) >= 8
