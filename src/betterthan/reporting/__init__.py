"""From a comparison to a page: what to say, how to write numbers, and one renderer for each
format.
"""
