from .exporting.export import export as export
from .files.project_files import FileError as FileError
from .files.project_files import Project as Project
from .files.project_files import read_project as read_project
from .planning.plan import Action as Action
from .planning.plan import Plan as Plan
from .planning.plan import Step as Step
