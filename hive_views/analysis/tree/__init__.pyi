from .engines_agree import common_query as common_query
from .query_reader import analyze as analyze
from .typed_query import TypedQuery as TypedQuery
from .typed_query import read_typed as read_typed
from .wording import is_same_wording as is_same_wording
