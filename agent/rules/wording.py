"""The rules' own sentences: templates/messages/ask.txt and talk.txt, by name."""

from planner import texts


def ask(kind: str, **facts: object) -> str:
    return texts.render("ask", kind=kind, **facts)


def talk(kind: str, **facts: object) -> str:
    return texts.render("talk", kind=kind, **facts)
