"""Posteriors of counts: closed forms and draws."""
