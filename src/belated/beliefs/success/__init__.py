"""What the log says about where an answer comes at all: a belief about success, from all failures and answers."""

from belated.beliefs.success.chance import ENOUGH, SuccessChance, success_chance

__all__ = ["ENOUGH", "SuccessChance", "success_chance"]
