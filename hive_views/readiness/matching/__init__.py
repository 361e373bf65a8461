"""How the columns of a base table and of a view tell of the same partition."""
