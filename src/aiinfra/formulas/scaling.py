"""What an improvement of one part does to the whole."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import factor, part, speedup

amdahl = Formula(
    "amdahl-speedup", speedup, 1 / (1 - part + part / factor),
    says="Only the improved share shrinks; the rest stays.",
    holds="the share is measured before the change and the parts do not overlap",
    valid=(part <= 1,),
    cites=("amdahl1967",),
)  # fmt: skip
Derivation(amdahl, 1 / ((1 - part) + part / factor), "Of a time of one, $1 - f$ stays and $f$ becomes $f/k$.")

amdahl_limit = Formula(
    "amdahl-limit", speedup, 1 / (1 - part),
    relation="<=",
    says="However fast the improved share becomes, the rest remains.",
    holds="as for the speedup, with a share below one",
    valid=(part < 1,),
    cites=("amdahl1967",),
)  # fmt: skip
Derivation(amdahl_limit, speedup, "Start from the speedup.").using(amdahl).at_most(
    1 / (1 - part), "The improved share cannot take less than no time.", given=(part < 1,)
)
