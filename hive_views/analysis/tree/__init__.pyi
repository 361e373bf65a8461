from .engines_agree import common_query as common_query
from .query_reader import analyze as analyze
from .wording import is_same_wording as is_same_wording
