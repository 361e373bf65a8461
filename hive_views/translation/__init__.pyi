from .translating import translate as translate
from .translation_findings import Finding as Finding
from .translation_findings import Kind as Kind
from .translation_findings import Reason as Reason
from .translation_result import RULES_VERSION as RULES_VERSION
from .translation_result import Status as Status
from .translation_result import Translation as Translation
