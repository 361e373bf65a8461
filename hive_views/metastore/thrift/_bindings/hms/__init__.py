__all__ = ['ttypes', 'constants', 'HiveViewsMetastore']
