from .queries import analyze as analyze
