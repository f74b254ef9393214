"""Words spoken by text-to-speech voices, and words that sound like them."""
