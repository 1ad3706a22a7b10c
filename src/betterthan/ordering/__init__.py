"""Systems that order things: Kendall's tau, several references, chance, consensus and agreement."""
