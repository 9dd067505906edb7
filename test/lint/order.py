"""Generators of targets/cpu: no call has two arguments that both create operations, because the order of evaluation is the host compiler's
choice and the order of operations shows in the object code. Constants do not count: they are no instructions."""
import re

CONSTANTS = re.compile(r"\bb\.(?:real|integer|i32c|i64c|iota|vec|floats|ints)\(")
CREATES = re.compile(r"\bb\.(?!f32|i32|i64|i8|f16|pointer|lanes|perTile|variant|getI|getB)\w+\(")
CALL = re.compile(r"[\w.:>-]+\(")


def arguments(text, start):
    """The arguments of the call whose parenthesis opens just before `start`."""
    found, depth, begin = [], 1, start
    for i in range(start, len(text)):
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[begin:i]]
        elif c == "," and depth == 1:
            found.append(text[begin:i])
            begin = i + 1
        elif c == ";" and depth == 1:
            return []
    return []


def creates(argument):
    """A lambda creates nothing before the call."""
    return not argument.lstrip().startswith("[") and CREATES.search(CONSTANTS.sub("(", argument))


def check(texts):
    for name, text in texts.items():
        if not name.startswith("targets/cpu/") or not name.endswith(".cpp"):
            continue
        for call in CALL.finditer(text):
            if sum(bool(creates(a)) for a in arguments(text, call.end())) > 1:
                number = text.count("\n", 0, call.start()) + 1
                yield f"{name}:{number}: two arguments create operations; name them before the call"
