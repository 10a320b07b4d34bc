"""Experiments: many seeds of many policies, in parallel processes, kept on disk as they come."""

from belated.experiments.arm import Arm, Experiment, check
from belated.experiments.conductor import Progress, conduct
from belated.experiments.results import Results, write_csv
from belated.experiments.runs import MEASURES, Runs

__all__ = ["MEASURES", "Arm", "Experiment", "Progress", "Results", "Runs", "check", "conduct", "write_csv"]
