"""How far two numbers may differ and still be called equal, each with its reason."""

# Two ways of solving with the same matrix, of condition 1e6 at most, on values of size one.
SOLVE_TOLERANCE = 1e-8

# The same formula with its sums in another order.
ROUNDING = 1e-12

# Central differences with a step of 1e-5 on functions with third derivatives below 1e4: truncation h² f‴/6 is below
# 1e-6, and rounding eps/h about 1e-11 times the condition of the solve.
STEP = 1e-5
SLOPE_TOLERANCE = 2e-5

# A minimum by the conic solver, as a share of the range of its costs: it stops at a gap of 1e-8.
CONIC_TOLERANCE = 1e-7

# Scores of a table closer than this share of their range are ties, between which a search may draw.
TIE_TOLERANCE = 1e-8

# A Monte Carlo estimate may be so many standard errors off: once in two million.
STANDARD_ERRORS = 5.0

# An expectation over 1024 quasi-random contexts of a score of size one, against dense quadrature: their error falls
# nearly as 1/n, and is below 3e-3 on what is tried here.
QUADRATURE_TOLERANCE = 4e-3
