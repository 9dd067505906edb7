#!/usr/bin/env python3
"""Upper, lower, title and folded case of every character, and of words in which neighbours decide, against Jinja on this Python.

usage: casing.py PROBE [-n WORDS] [--seed S]; exits with 77 (skipped) without Jinja. Characters that this Python's Unicode does not know are left out.
"""
import argparse
import random
import sys
import unicodedata

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

EACH = ["x.upper()", "x.lower()", "x.title()", "x.capitalize()", "x.swapcase()", "x.casefold()", "x|upper", "x|lower", "x|title", "x|capitalize",
        "('a' ~ x).title()", "('A' ~ x ~ 'Σ').lower()", "('Σ' ~ x ~ 'Σ b').title()"]
TEMPLATE = "{% for x in xs %}" + " ".join("{{ " + e + " }}" for e in EACH) + "\n{% endfor %}"
CHUNK = 512
# Cased since Unicode 15, which the build's Unicode data has and an older Python has not.
NEWER = set("ჼꟲꟳꟴꭩ")
# Letters with several cases or none, what does not count beside them, and what ends a word.
ALPHABET = "aAbΣΣΣσςßẞİıǆǅǄŉﬁﬃΐᾳᾼჟႽᲟꭰᏰ'’.:·\u00ad\u0301\u0345\u200d -({<1_é你𝐀Ⓐⅷ\n"


def known():
    for code in range(0x110000):
        c = chr(code)
        ideograph = 0x3400 <= code < 0xA000 or 0xAC00 <= code < 0xD7A4 or code >= 0x20000
        if not ideograph and unicodedata.category(c) not in ("Cn", "Co", "Cs") and (c not in NEWER or unicodedata.unidata_version >= "15"):
            yield c


def different(probe, texts):
    """The first text of which ours differs, and how."""
    if not oracle.difference(probe, TEMPLATE, {"xs": texts}):
        return None
    for text in texts:
        what = oracle.difference(probe, TEMPLATE, {"xs": [text]})
        if what:
            return f"{text!r}: {what}"
    return "differs only together with others"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    probe, draw = oracle.Probe(options.probe), random.Random(options.seed)
    texts = list(known())
    texts += ["".join(draw.choices(ALPHABET, k=draw.randrange(1, 12))) for _ in range(options.n)]
    found = [different(probe, texts[i:i + CHUNK]) for i in range(0, len(texts), CHUNK)]
    bad = [what for what in found if what]
    print("\n".join(bad[:20]))
    print(f"{len(texts)} texts, Unicode {unicodedata.unidata_version}, {len(bad)} of {len(found)} groups with differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
