"""Experiments: many seeds of many policies, in parallel processes, kept on disk as they come.

Papers and the league are data on this one engine: arms with seeds are jobs, jobs are performed, runs are archived.
"""

from belated.experiments.archive import Archive
from belated.experiments.arm import Arm, Experiment, Job, check
from belated.experiments.conductor import RunsDone, conduct, conduct_all, n_processes, perform
from belated.experiments.processes import one_thread_each, performed
from belated.experiments.results import Results, write_csv
from belated.experiments.runs import MEASURES, Runs

__all__ = [
    "MEASURES",
    "Archive",
    "Arm",
    "Experiment",
    "Job",
    "Results",
    "Runs",
    "RunsDone",
    "check",
    "conduct",
    "conduct_all",
    "n_processes",
    "one_thread_each",
    "perform",
    "performed",
    "write_csv",
]
