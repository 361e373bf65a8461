"""Telling others what has happened to partitions: events to files and URLs, each at least once.

events.py      what an event says
receivers.py   who is told: a file or a URL
unreported.py  what has still to be told, noted beside the view
telling.py     events from what a run notes and does, to receivers
"""
