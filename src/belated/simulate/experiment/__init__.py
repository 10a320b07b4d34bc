"""Experiments: many seeds of many policies, in parallel processes, kept on disk as they come."""

from belated.simulate.experiment.arm import Arm, Experiment, check
from belated.simulate.experiment.conductor import Progress, conduct
from belated.simulate.experiment.results import Results, write_csv
from belated.simulate.experiment.runs import MEASURES, Runs

__all__ = ["MEASURES", "Arm", "Experiment", "Progress", "Results", "Runs", "check", "conduct", "write_csv"]
