"""The core and a model as a page that needs nothing but a browser."""
