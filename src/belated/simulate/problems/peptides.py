"""Peptides that bind to an MHC molecule: a stand-in for the vaccine table of desautels2014, which is not public.

No regret here can be compared with the paper's: it is another table, and the encoding of peptides is a guess.
"""

from __future__ import annotations

import numpy as np

from belated.errors import unknown_name
from belated.simulate.problems.data import DataFile, numbers, read
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.space import Array, Candidates

MEASURED = DataFile(
    path="mhc_binding_substitute/kim2014_blind_9mers.csv",
    rows=2910,
    columns=4,
    sha256="1449f561cbce8c6592e9b18c338ce7a9e54b4d2befdd24ce4cead2c57f80a58e",
    published="data/bdata.2013.mhci.public.blind.1.txt of github.com/hammerlab/mhcflurry-icml-compbio-2016, of which "
    "it holds the 9-mers of HLA-A*02:01 and HLA-A*26:01",
)
ALLELES = ("HLA-A*02:01", "HLA-A*26:01")
# Concentrations beyond this, in nM, are no binding; the field's usual scale ends there too.
NO_BINDING = 50_000.0

DESCRIPTORS = ("polarity", "structure", "size", "codons", "charge")
# Five factors of 54 properties of the amino acids [atchley2005, table 2].
FACTORS = {
    "A": (-0.591, -1.302, -0.733, 1.570, -0.146),
    "C": (-1.343, 0.465, -0.862, -1.020, -0.255),
    "D": (1.050, 0.302, -3.656, -0.259, -3.242),
    "E": (1.357, -1.453, 1.477, 0.113, -0.837),
    "F": (-1.006, -0.590, 1.891, -0.397, 0.412),
    "G": (-0.384, 1.652, 1.330, 1.045, 2.064),
    "H": (0.336, -0.417, -1.673, -1.474, -0.078),
    "I": (-1.239, -0.547, 2.131, 0.393, 0.816),
    "K": (1.831, -0.561, 0.533, -0.277, 1.648),
    "L": (-1.019, -0.987, -1.505, 1.266, -0.912),
    "M": (-0.663, -1.524, 2.219, -1.005, 1.212),
    "N": (0.945, 0.828, 1.299, -0.169, 0.933),
    "P": (0.189, 2.081, -1.628, 0.421, -1.392),
    "Q": (0.931, -0.179, -3.005, -0.503, -1.853),
    "R": (1.538, -0.055, 1.502, 0.440, 2.897),
    "S": (-0.228, 1.399, -4.760, 0.670, -2.647),
    "T": (-0.032, 0.326, 2.213, 0.908, 1.313),
    "V": (-1.337, -0.279, -0.544, 1.242, -1.262),
    "W": (-0.595, 0.009, 0.672, -2.128, -0.184),
    "Y": (0.260, 0.830, 3.097, -0.838, 1.512),
}


@problem("peptides")
def peptides(seed: int = 0, *, allele: str = ALLELES[0], noise: float = 0.0, data: str | None = None) -> Problem:
    """Which peptide binds best to an MHC molecule: a stand-in for the vaccine data of desautels2014 [kim2014].

    The value is log₁₀(50 000 nM / IC₅₀), and 0 where a peptide does not bind. Unlike the paper's 45 chemical features,
    which it does not name, these are five descriptors for each of nine residues. `noise` is the deviation of
    what is added to an answer.
    """
    call = "build('peptides')"
    if allele not in ALLELES:
        raise unknown_name(call, "allele of the table", allele, ALLELES)
    rows = [row for row in read(MEASURED, call, data) if row["allele"] == allele]
    names = [f"{descriptor}{place}" for place in range(1, 10) for descriptor in DESCRIPTORS]
    table = Candidates(np.array([features(row["peptide"]) for row in rows]), names=names)
    affinities = np.log10(NO_BINDING / np.minimum(numbers(rows, ["ic50_nM"])[:, 0], NO_BINDING))
    return tabulated("peptides", table, affinities, noise, f"{len(rows)} peptides and how well each binds to {allele}")


def features(peptide: str) -> Array:
    """The factors of each residue in turn, (45,) for nine of them."""
    return np.array([FACTORS[residue] for residue in peptide]).ravel()
