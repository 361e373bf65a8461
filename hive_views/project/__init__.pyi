from .planning.plan import Action as Action
from .planning.plan import Plan as Plan
from .planning.plan import Step as Step
