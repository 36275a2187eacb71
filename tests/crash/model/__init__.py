"""Small models of the product's state machines, explored to their last state. Moves and their limits are read from the
product's own tables; what the models add is who may do what, and when he may die."""
