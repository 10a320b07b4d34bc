"""The published algorithms, each a composition of a few parts, and the registry of their names."""

from belated.policies.auto import auto
from belated.policies.desautels2014 import (
    gp_aucb,
    gp_aucb_init,
    gp_aucb_local,
    gp_bts,
    gp_bucb,
    gp_bucb_init,
    gp_ucb_ranked,
    hbbo_mei,
    hbbo_ucb,
    sm_mei,
    sm_ucb,
)
from belated.policies.huang2024 import drbo_kde, drbo_mmd, drbo_mmd_minimax, gp_ucb_blind, sbo_kde, stableopt
from belated.policies.information import information
from belated.policies.letham2019 import gp_lognei
from belated.policies.lu2022 import banditbo, egp_ei, egp_ts, egp_ucb, exp3bo, fb_gp_ts
from belated.policies.parts import part
from belated.policies.plain import asy_ts, gp_ei, gp_ts, gp_ucb, random, uncertainty
from belated.policies.policy import Decision, Policy, Reading
from belated.policies.recipe import Compose, Recipe
from belated.policies.registry import build, ceilings, describe, from_json, names, policy, signature, with_window
from belated.policies.song2024 import gp_ucb_pe
from belated.policies.vakili2023 import bpe, bpe_delay
from belated.policies.verma2022 import gp_ts_sdf, gp_ucb_sdf

__all__ = [
    "Compose",
    "Decision",
    "Policy",
    "Reading",
    "Recipe",
    "asy_ts",
    "auto",
    "banditbo",
    "bpe",
    "bpe_delay",
    "build",
    "ceilings",
    "describe",
    "drbo_kde",
    "drbo_mmd",
    "drbo_mmd_minimax",
    "egp_ei",
    "egp_ts",
    "egp_ucb",
    "exp3bo",
    "fb_gp_ts",
    "from_json",
    "gp_aucb",
    "gp_aucb_init",
    "gp_aucb_local",
    "gp_bts",
    "gp_bucb",
    "gp_bucb_init",
    "gp_ei",
    "gp_lognei",
    "gp_ts",
    "gp_ts_sdf",
    "gp_ucb",
    "gp_ucb_blind",
    "gp_ucb_pe",
    "gp_ucb_ranked",
    "gp_ucb_sdf",
    "hbbo_mei",
    "hbbo_ucb",
    "information",
    "names",
    "part",
    "policy",
    "random",
    "sbo_kde",
    "signature",
    "sm_mei",
    "sm_ucb",
    "stableopt",
    "uncertainty",
    "with_window",
]
