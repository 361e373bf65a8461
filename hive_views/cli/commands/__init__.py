"""The commands, a file for those that belong together.

Each is imported when it is called, calls the library, and prints what it returns.
"""
