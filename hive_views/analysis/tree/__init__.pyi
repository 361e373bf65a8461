from .engines_agree import common_query as common_query
from .queries import analyze as analyze
from .wording import is_same_wording as is_same_wording
