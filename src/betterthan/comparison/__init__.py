"""One question answered for all pairs of systems: data in, a comparison out."""
