"""Running an objective: queries are handed to workers, and what comes back is told."""

from belated.study.running.evaluation import Lost
from belated.study.running.loop import run
from belated.study.running.patient_study import Runnable
from belated.study.running.terms import Objective, OnFailure, Ran, Retries, terms_of

__all__ = ["Lost", "Objective", "OnFailure", "Ran", "Retries", "Runnable", "run", "terms_of"]
