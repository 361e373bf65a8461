"""The report: one HTML file that says which views there are, and how they are; its content also as JSON.

Read it in this order: ``page`` is the verb; ``contents`` reads what the page shows, as plain values, with
``shown_views``, ``problems``, ``breakage`` and ``publications`` for the parts; ``publication_calendars`` and
``graph_layout`` work out where the signs of a calendar and the boxes of a graph go; ``fitting`` cuts what is long where
there are thousands; ``rendering`` fills ``templates/``, the page itself; ``document`` is the JSON.

What must not be here: scripts, and anything that a browser would fetch. What others wrote is escaped by the template
engine, and its control characters are shown as escapes (``rendering``).
"""
