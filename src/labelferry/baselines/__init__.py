"""One file = one method that the papers compare with."""
