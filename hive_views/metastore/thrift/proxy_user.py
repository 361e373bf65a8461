"""Acting for another user: a proxy user, as Hadoop calls it."""

from __future__ import annotations

from dataclasses import replace

from hive_views.errors import InvalidInputError, UnsupportedFeatureError
from hive_views.metastore.thrift.auth import Auth, Kerberos, NoAuth


def acting_for(auth: Auth, proxy_user: str) -> Auth:
    """The authentication by which a connection acts for another user.

    Raises:
        InvalidInputError: a metastore knows no proxy users with this kind of authentication, or the name is empty.
    """
    if not proxy_user.strip():
        raise InvalidInputError("The name of a proxy user must not be empty.")
    if isinstance(auth, NoAuth):
        return replace(auth, user=proxy_user, groups=())
    if isinstance(auth, Kerberos):
        raise UnsupportedFeatureError("Proxy users are not supported with Kerberos yet.")
    raise InvalidInputError(
        f"Cannot act for {proxy_user!r} with {type(auth).__name__}: a metastore permits proxy users with Kerberos, and "
        f"without authentication. Use one of these (auth), or leave out proxy_user (the variable HADOOP_PROXY_USER "
        f"too) and use the credentials of {proxy_user!r}."
    )
