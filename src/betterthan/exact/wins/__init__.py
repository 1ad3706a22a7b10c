"""Of wins, losses and ties."""
