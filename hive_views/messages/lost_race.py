"""What a caller is told whose change came second, whether the server or a second read of the row has found it out."""

CHANGED_BY_ANOTHER_WRITER = (
    "{about} was changed by another writer after it was read, so this change was not applied. "
    "Load it again and repeat the change."
)
