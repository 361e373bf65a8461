"""What files beside the metadata say, so that it is known when the row is gone.

Declared partitions, where the views of a name went, and which requests were carried out.
"""
