"""Outcomes of a judge that errs, corrected by the few that people labelled: closed forms."""
