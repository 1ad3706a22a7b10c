"""Frequentist counterparts: sign test, randomization, corrections, groups that cannot be told apart."""
