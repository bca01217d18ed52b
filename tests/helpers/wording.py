"""Turns of phrase that docs/style.md rules out and a machine can see. Each rule has few false alarms."""

import re
from typing import NamedTuple

from .sentences import texts

__all__ = ["RULES", "Rule", "violations"]


class Rule(NamedTuple):
    """A pattern that no text may have, and what to write instead."""

    name: str
    pattern: str
    instead: str
    first_line: bool = False     # only the first sentence of a docstring is looked at


RULES = (
    Rule("question", r"\?$", 'a statement: "Return whether ..."', first_line=True),
    Rule("relative clause", r"^(What|Who|Where|Whoever|May|Is|Are|Does|Has|Have|Can|Must) (?!no|nothing|the same)",
         "a verb in the third person, or a noun phrase", first_line=True),
    Rule("too", r",? too\.$", 'nothing, or "also" before the verb', first_line=True),
    Rule("silently", r"\bin silence\b|\bwithout a word\b", '"silently", "without an error"'),
    Rule("of which", r"\bof which the\b", '"whose"'),
    Rule("is no", r"(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more\b|less\b|different\b|better\b|worse\b)",
         '"is not a"'),
    Rule("alone", r"(?<!\b[Ll]et )(?<!\b[Ll]eft )(?<!\b[Ll]eave )(?<!\b[Ss]tand )(?<!\b[Ss]tands )\balone\b",
         '"only", "by itself"'),
    Rule("beside", r"\b[Bb]eside\b", '"next to", "compared with"'),
    Rule("dear", r"\bdear(er|est)?\b", '"expensive"'),
    Rule("way back", r"\bthe way (back|forward)\b", '"the backward pass", "the forward pass"'),
    Rule("one behind the other", r"\bone (behind|after) the other\b", '"consecutive", "in order"'),
    Rule("inverted condition", r", (does|has|is|was|were|be) (it|they)\b[^?]*$", '"if it does"'),
    Rule("whoever", r"\b[Ww]ho[e]ver\b", '"a caller that ...", "anyone who ..."'),
    Rule("category", r"\b[Ss]treets?\b", '"category" of operators'),
)


def violations():
    """[(path, line, the rule, the words)] over all texts of the repository."""
    found = []
    for text in texts():
        whole, first = _without_quotes(text.text), _without_quotes(text.text.split("\n\n")[0])
        found += [(text.path, text.line, rule, match[0]) for rule in RULES
                  if (text.kind == "docstring" or not rule.first_line)
                  and (match := re.search(rule.pattern, first if rule.first_line else whole))]
    return found


def _without_quotes(words):
    return re.sub(r"\s+", " ", re.sub(r"`[^`]*`|\"[^\"]*\"", "``", words))
