"""Which crash points the product has, read from its source: nobody keeps a list, so none can be forgotten in it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("planner", "webhook", "transcription", "reminders", "agent")
MOMENTS = {
    "committing": (":before", ":written", ":committed"),
    "statement": (":before", ":committed"),
    "outside": (":before", ":answered"),
    "reach": ("",),
}


def sources() -> Iterator[tuple[str, ast.Module]]:
    """(path from the root, its tree), without migrations, commands and the fake WeChat of the demo."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if not {"migrations", "management", "sandbox"} & set(path.parts) and path.name != "crashpoints.py":
                yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def called(node: ast.AST) -> str:
    """The last name of what a call calls: `committing` for both `committing(…)` and `crashpoints.committing(…)`."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", "") or getattr(node.func, "id", "")


def names(argument: ast.expr, kinds: list[str]) -> list[str]:
    """A literal, or an f-string with the model's name in it: then one for each kind of leased row."""
    if isinstance(argument, ast.Constant):
        return [str(argument.value)]
    assert isinstance(argument, ast.JoinedStr), ast.dump(argument)
    pieces = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in argument.values]
    return ["".join(pieces).replace("{}", kind) for kind in kinds]


def leased_kinds() -> list[str]:
    from django.apps import apps

    from planner.leases import Leased

    return sorted(str(model._meta.model_name) for model in apps.get_models() if issubclass(model, Leased))


def uncalled(trees: list[ast.Module], kinds: list[str]) -> set[str]:
    """`give up erasure`, when no code gives an erasure up: the verb is every leased row's, and not each is in use."""
    verbs = {"retry": "retry", "release": "release", "give_up": "give up"}
    used = {
        (node.func.value.id.lower(), node.func.attr)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    }
    return {f"{words} {kind}" for verb, words in verbs.items() for kind in kinds if (kind, verb) not in used}


@cache
def points() -> dict[str, str]:
    """Every point and what holds it: `finish:written` → committing."""
    kinds = leased_kinds()
    trees = [tree for _, tree in sources()]
    unused = uncalled(trees, kinds)
    found: dict[str, str] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if (how := called(node)) in MOMENTS:
                for name in set(names(node.args[0], kinds)) - unused:
                    found |= {name + moment: how for moment in MOMENTS[how]}
    return found


def before_commit(name: str, how: str) -> bool:
    """The next thing that the process says to the database is a commit: its answer can be lost."""
    return (how, name.rpartition(":")[2]) in {("committing", "written"), ("statement", "before")}
