"""Views from one catalog into another, or out of an archive.

Read as values (snapshot.py), renamed, written (importing.py), compared.
"""
