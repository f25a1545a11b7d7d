"""Tables of published facts: recipes, models, hardware. Each row with its source."""
