"""The files of a project in a revision of git, read from its objects: nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from hive_views.errors import InvalidInputError, NotFoundError
from hive_views.project.directory.source_files import LINK, FoundFiles, belongs, is_hidden

_LINK, _SUBMODULE = b"120000", b"160000"
# Hooks of git name the repository that they run for.
_OF_HOOKS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


def files_of_revision(directory: str | os.PathLike[str], revision: str) -> FoundFiles:
    """The files of the project that a directory had in a commit; it need not exist any more.

    Args:
        directory: where it is, or was, in the work tree of a repository.
        revision: a commit, branch, tag, or what else git takes for one.

    Raises:
        InvalidInputError: the revision is no name of one, the directory is in no repository, or git is missing.
        NotFoundError: there is no such revision, or the directory was not in it.
    """
    if not revision or revision.startswith("-"):
        raise InvalidInputError(f"{revision!r} is not a revision of git: name a commit, a branch or a tag.")
    wanted = Path(directory).expanduser().absolute()
    # Git resolves links as well, and says where it is by what they lead to.
    wanted = Path(os.path.normpath(wanted)).resolve()
    there = next(one for one in (wanted, *wanted.parents) if one.is_dir())
    prefix = _git(there, "rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").removesuffix("\n")
    inside = (Path(prefix) / wanted.relative_to(there)).as_posix()
    try:
        commit = _git(there, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except InvalidInputError as error:
        raise NotFoundError(
            f"There is no revision {revision!r} in the repository of {wanted}: name a commit, a branch or a tag. In a "
            f"shallow clone, fetch it first.",
            location=str(wanted),
        ) from error
    tree = f"{commit}:{'' if inside == '.' else inside}"
    try:
        listed = _git(there, "ls-tree", "-r", "-z", "--full-tree", tree)
    except InvalidInputError as error:
        raise NotFoundError(f"The revision {revision} has no directory {inside}.", location=str(wanted)) from error
    return _read(there, tree, listed)


def _read(repository: Path, tree: str, listed: bytes) -> FoundFiles:
    found = FoundFiles()
    wanted: dict[str, str] = {}
    links: dict[str, str] = {}
    for entry in filter(None, listed.split(b"\0")):
        (mode, _, object_id), name = entry.split(b"\t")[0].split(), entry.partition(b"\t")[2]
        path = name.decode("utf-8", "surrogateescape")
        if is_hidden(path.split("/")):
            continue
        if mode == _SUBMODULE:
            found.refuse(path, "It is a submodule, whose files this repository does not have: put them here.")
        elif mode == _LINK and belongs(path):
            found.refuse(path, LINK)
        elif mode == _LINK and "\n" not in path:
            links[path] = f"{tree.rstrip('/')}/{path}".replace(":/", ":")
        elif mode != _LINK and belongs(path):
            wanted[path] = object_id.decode()
    objects = _objects(repository, [*wanted.values(), *links.values()])
    for path in wanted:
        found.add(path, next(objects)[1])
    for path in links:
        # A link to a directory; those to files are none of the project's.
        if next(objects)[0] == "tree":
            found.refuse(path, LINK)
    return found


def _objects(repository: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Kind and content of each of these objects, in their order; of links, of what they lead to."""
    asked = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
    answer = _git(repository, "cat-file", "--batch", "--follow-symlinks", given=asked) if names else b""
    position = 0
    for _ in names:
        end = answer.index(b"\n", position)
        said = answer[position:end].split(b" ")
        position = end + 1
        if said[-1] in (b"missing", b"ambiguous"):
            yield "missing", b""
            continue
        size = int(said[-1])
        kind = said[0] if len(said) == 2 else said[-2]
        yield kind.decode(), answer[position : position + size]
        position += size + 1


def _git(directory: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What git writes.

    Raises:
        InvalidInputError: it fails, or is missing.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        ended = subprocess.run(  # noqa: S603 - no shell, and no argument that git takes for an option
            ["git", "-C", str(directory), *arguments],  # noqa: S607 - the git of the user, wherever it is
            input=given,
            capture_output=True,
            check=False,
            env=environment,
        )
    except FileNotFoundError as error:
        raise InvalidInputError(
            "Reading a revision needs the program git, which is not installed, or not on PATH."
        ) from error
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise InvalidInputError(f"git cannot read the repository of {directory}: {said}.", location=str(directory))
    return ended.stdout
