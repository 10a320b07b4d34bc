"""Beliefs in two parts, where no answer means a value: whether a query is answered, and with what."""
