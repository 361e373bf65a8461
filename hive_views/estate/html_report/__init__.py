"""The report: one HTML file that says which views there are, and how they are.

Read it in this order: ``page`` is the verb; ``contents`` reads what the page shows, as plain values;
``publication_calendars`` and ``graph_layout`` work out where the signs of a calendar and the boxes of a graph go;
``templates/`` is the page itself.

What must not be here: scripts, and anything that a browser would fetch. What others wrote is escaped by the template
engine, and its control characters are shown as escapes (``page``).
"""
