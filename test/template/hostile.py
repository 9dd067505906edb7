#!/usr/bin/env python3
"""Templates and contexts that mean harm end in a clear error, soon. usage: hostile.py PROBE; exits with 77 without Jinja."""
import sys
import time

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Template, part of the message.
TEMPLATES = [
    ("{% for i in range(10**9) %}{% endfor %}", "range too big"),
    ("{% set ns = namespace(n=0) %}{% for i in range(99999) %}{% for j in range(99999) %}{% set ns.n = j %}{% endfor %}{% endfor %}", "does not come to an end"),
    ("{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}", "does not fit"),
    ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "too deeply"),
    ("{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}", "the template"),
    ("{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}", "nested too deeply"),
    ("{{ 'x' * 10**12 }}", "does not fit"), ("{{ 99999999999999999999 }}", "64 bits"), ("{{ 2**64 }}", "64 bits"), ("{{ 1e20|int }}", "64 bits"), ("{{ '-1e30'|int }}", "64 bits"),
    ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "inside one another"), ("{{ " + "1+" * 5000 + "1 }}", "less nested"),
    ("{% if 1 %}" * 3000, "blocks inside one another"), ("{% if x", "found the end"), ("{{ x", "found the end"), ("{% raw %}x", "endraw"), ("{# x", "comment"),
    (b"\xff\xfe", "UTF-8"),
]
CONTEXTS = [(b"", "a JSON value"), (b"{", "a key"), (b"[1]", "a JSON object"), (b'{"a":1', "byte 6"), (b'{"a":"\xff"}', "UTF-8"), (b"[" * 1000, "nested too deeply"),
            (b'{"a":"\\ud800"}', "surrogate"), (b'{"a":99999999999999999999}', "64 bits"), (b'{"a":9223372036854775808}', "64 bits"), (b'{"a":-9223372036854775809}', "64 bits"), (b'{"a":01}', "a JSON value"), (b'{"a":1} x', "the end")]


def main():
    probe, bad = oracle.Probe(sys.argv[1]), 0
    cases = [(t, b"{}", message) for t, message in TEMPLATES] + [("{{ a }}", c, message) for c, message in CONTEXTS]
    for template, context, message in cases:
        start = time.monotonic()
        text, found = probe.render(template, context)
        seconds = time.monotonic() - start
        if found is None or message not in found or seconds > 30:
            bad += 1
            print(f"{template[:80]!r} with {context[:40]!r}: expected an error with {message!r}, found {found!r} after {seconds:.1f} s")
    print(f"{len(cases)} cases, {bad} failed")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
