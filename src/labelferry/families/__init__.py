"""Mathematics that families of methods share."""
