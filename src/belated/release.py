"""Which release this is: the log names with each query the one that decided it."""

RELEASE = "0.1.0"
