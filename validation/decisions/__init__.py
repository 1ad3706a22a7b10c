"""How often decisions are right: verdicts, intervals, best sets and stated errors, on simulated
truth that is not the prior.
"""
