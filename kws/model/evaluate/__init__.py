"""How well a model does on clips and on streams."""
