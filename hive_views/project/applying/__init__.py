"""Plans carried out, step by step, and undone again by what each version says of its release."""
