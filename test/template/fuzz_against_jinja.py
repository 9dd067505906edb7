#!/usr/bin/env python3
"""Random templates of the language against Jinja: equal text, or an error on both sides.

usage: fuzz_against_jinja.py PROBE [-n TEMPLATES] [--seed SEED]

Left out is what the compiler refuses by name (its README says what). Templates are made of small random statements and expressions over one
random context; about half fail in Jinja too, which compares the errors. Exits with 77 (skipped) without Jinja.
"""
import argparse
import random
import sys

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TEXTS = ["", "a", "Hello World", "  padded\n", "x,y,,z", "line\nline two\r\n\tthree\n", "é你😀", "It's \"q\"", "<b>&", "ABC", "abc def", "12", "-3.5", "ÀÉ ß",
         "None", "{}", "%s", "a\\n", "title case-word (x)"]
NAMES = ["s", "t", "n", "m", "f", "b", "xs", "ss", "d", "ms", "missing", "ns"]


def value(rng, depth=0):
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return rng.choice([0, 1, -1, 2, 7, 100, -12, 65536])
    if kind == 1:
        return rng.choice([0.0, 0.5, -1.5, 2.25, 1e16, 1e-7, 3.14159, 100.0])
    if kind == 2:
        return rng.choice([True, False, None])
    if kind < 6:
        return rng.choice(TEXTS)
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(["a", "b", "role", "content", "items", "x y", "é"]): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def context(rng):
    return {"s": rng.choice(TEXTS), "t": rng.choice(TEXTS), "n": rng.randrange(-5, 20), "m": rng.randrange(1, 4), "f": rng.choice([0.5, -2.25, 3.0, 1e20]),
            "b": rng.random() < 0.5, "none": None, "xs": [rng.randrange(-3, 9) for _ in range(rng.randrange(5))],
            "ss": [rng.choice(TEXTS) for _ in range(rng.randrange(4))], "d": value(rng, 0) if rng.random() < 0.2 else {"a": value(rng), "role": rng.choice(TEXTS), "b": [1, "x"]},
            "ms": [{"role": rng.choice(["user", "assistant", "system", "tool"]), "content": rng.choice(TEXTS + [None]), **({"n": rng.randrange(5)} if rng.random() < 0.5 else {})}
                   for _ in range(rng.randrange(4))]}


class Maker:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, *options):
        option = self.rng.choice(options)
        return option() if callable(option) else option

    def literal(self):
        rng = self.rng
        return rng.choice(["0", "1", "2", "-1", "3.5", "true", "false", "none", "''", "'a'", "'b c'", "','", "'\\n'", "\"it's\"", "[]", "[1, 2]", "['a', 'b']", "{}", "{'a': 1}",
                           "(1, 'x')", "'é'", "'o'", "10"])

    def expression(self, depth=0):
        """Mostly of fitting types, so that templates get far; now and then anything with anything."""
        return self.anything(depth) if self.rng.random() < 0.06 else self.of(self.rng.choice(["text", "number", "list", "truth", "text", "dict"]), depth)

    def of(self, kind, depth):
        rng = self.rng
        text, number, some, truth = (lambda k=k: self.of(k, depth + 1) for k in ("text", "number", "list", "truth"))
        if depth > 3 or rng.random() < 0.2:
            return rng.choice({"text": ["s", "t", "s", "t", "'a'", "'b, c'", "'é\\n'", "''"], "number": ["n", "m", "f", "1", "2", "-3", "0.5"], "list": ["xs", "ss", "ms", "[1, 2]", "['b', 'A']", "[]"],
                               "truth": ["b", "true", "false", "none", "missing"], "dict": ["d", "{'a': 1, 'b': 'x'}", "{}"]}[kind])
        if rng.random() < 0.08:
            return f"({self.of(kind, depth + 1)} if {truth()} else {self.of(kind, depth + 1)})"
        made = {
            "text": [lambda: f"({text()} + {text()})", lambda: f"({text()} ~ {number()} ~ {truth()})", lambda: f"{text()}[{rng.choice(['', '1', '-2'])}:{rng.choice(['', '3', '-1'])}{rng.choice(['', '', ':-1', ':2'])}]",
                     lambda: f"({text()})|{rng.choice(['upper', 'lower', 'title', 'capitalize', 'trim', 'string', 'indent(2)', 'escape', 'safe', 'tojson', 'replace(s, t)', 'reverse', 'default(t, true)'])}",
                     lambda: f"({text()}).{rng.choice(['upper()', 'strip()', 'lstrip()', 'rstrip()', 'title()', 'capitalize()', 'swapcase()', 'strip(t)', 'center(9)', 'zfill(5)'])}", lambda: f"(({text()})|string).replace({text()}|string, 'x')",
                     lambda: f"({some()})|join({text()})", lambda: f"({some()})|map('string')|join(', ')", lambda: f"({some()})|tojson", lambda: f"({self.of('dict', depth + 1)})|tojson(indent=2)",
                     lambda: f"({number()})|string", lambda: f"macro0({text()}, b={number()})", lambda: f"({text()} * 2)", lambda: f"'%s|%s'|format({text()}, {number()})", lambda: f"'{{}}-{{}}'.format({text()}, {number()})",
                     lambda: f"({some()})|string", lambda: f"({self.of('dict', depth + 1)})|string", lambda: f"ms[0].{rng.choice(['role', 'content'])}|default('')"],
            "number": [lambda: f"({number()} {rng.choice(['+', '-', '*', '/', '//', '%'])} {number()})", lambda: f"({text()})|length", lambda: f"({some()})|length", lambda: f"({number()})|{rng.choice(['int', 'float', 'abs', 'round', 'round(1)'])}",
                       lambda: f"({text()})|int", lambda: f"({text()})|float", lambda: f"({text()}).find({text()})", lambda: f"({text()}).count('a')", lambda: f"(-{number()})", lambda: "xs|sum", lambda: f"({text()})|wordcount", lambda: f"[{number()}, {number()}]|max"],
            "list": [lambda: f"({some()} + {some()})", lambda: f"{some()}[{rng.choice(['', '1', '-2'])}:{rng.choice(['', '2', '-1'])}{rng.choice(['', ':-1'])}]", lambda: f"[{text()}, {number()}]", lambda: f"({text()}).split({rng.choice(['', repr(','), repr(' ')])})",
                     lambda: f"({text()}).splitlines()", lambda: f"({some()})|{rng.choice(['list', 'reverse|list', 'unique|list', 'batch(2)|list', 'select|list'])}", lambda: "xs|sort", lambda: "ss|sort(reverse=true)", lambda: f"range({rng.randrange(6)})|list",
                     lambda: f"ms|map(attribute='{rng.choice(['role', 'content', 'n'])}')|list", lambda: f"ms|selectattr('role', 'equalto', '{rng.choice(['user', 'tool'])}')|list", lambda: "ms|selectattr('n', 'defined')|list",
                     lambda: f"ss|map('{rng.choice(['upper', 'trim', 'length', 'title', 'int'])}')|list", lambda: f"xs|select('{rng.choice(['odd', 'even', 'number'])}')|list", lambda: f"({self.of('dict', depth + 1)}).{rng.choice(['keys', 'values', 'items'])}()|list",
                     lambda: f"({self.of('dict', depth + 1)})|{rng.choice(['dictsort', 'items|list', 'list'])}"],
            "truth": [lambda: f"({text()} {rng.choice(['==', '!=', '<', '>=', 'in', 'not in'])} {text()})", lambda: f"({number()} {rng.choice(['==', '!=', '<', '>='])} {number()})", lambda: f"({text()} in {some()})", lambda: f"not {truth()}",
                      lambda: f"({truth()} {rng.choice(['and', 'or'])} {truth()})", lambda: f"({self.expression(depth + 1)} is {rng.choice(['', 'not '])}{rng.choice(['defined', 'none', 'string', 'number', 'mapping', 'iterable', 'sequence', 'boolean', 'float', 'integer'])})",
                      lambda: f"({text()}).startswith({text()})", lambda: f"({text()}).{rng.choice(['isdigit', 'isspace', 'isupper', 'islower', 'isalpha', 'istitle'])}()", lambda: f"({number()} < {number()} <= {number()})", lambda: f"'a' in {self.of('dict', depth + 1)}"],
            "dict": [lambda: f"{{'k': {self.expression(depth + 1)}, 'a': {number()}}}", lambda: f"dict(a={text()}, q={number()})", lambda: f"dict({self.of('dict', depth + 1)}, z=1)"],
        }
        return rng.choice(made[kind])()

    def anything(self, depth=0):
        rng = self.rng
        if depth > 3 or rng.random() < 0.25:
            return rng.choice(NAMES) if rng.random() < 0.7 else self.literal()
        e = lambda: self.expression(depth + 1)
        return self.pick(
            lambda: f"{e()} {rng.choice(['+', '-', '*', '/', '//', '%', '~', '~', '+'])} {e()}",
            lambda: f"{e()} {rng.choice(['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'])} {e()}",
            lambda: f"{e()} {rng.choice(['and', 'or'])} {e()}",
            lambda: f"not {e()}", lambda: f"({e()})", lambda: f"(-{e()})",
            lambda: f"({e()} if {e()} else {e()})", lambda: f"({e()} if {e()})",
            lambda: f"{self.primary()}[{e()}]", lambda: f"{self.primary()}.{rng.choice(['a', 'role', 'content', 'b', 'n'])}",
            lambda: f"{self.primary()}['{rng.choice(['a', 'role', 'content', 'q'])}']",
            lambda: f"{self.primary()}[{rng.choice(['', '1', '-2', 'n'])}:{rng.choice(['', '2', '-1', 'm'])}{rng.choice(['', ':2', ':-1'])}]",
            lambda: f"({e()} is {rng.choice(['', 'not '])}{self.test(depth)})",
            lambda: self.filtered(depth), lambda: self.filtered(depth), lambda: self.filtered(depth),
            lambda: self.method(depth), lambda: self.method(depth),
            lambda: f"[{e()}, {e()}]", lambda: f"{{'k': {e()}, 'a': {e()}}}", lambda: f"range({rng.randrange(5)})|list", lambda: f"{e()} < {e()} < {e()}",
            lambda: f"dict(a={e()}, b=2)", lambda: f"macro{rng.randrange(2)}({self.arguments(depth)})")

    def arguments(self, depth):
        return self.rng.choice(["", self.expression(depth + 2), f"{self.expression(depth + 2)}, {self.expression(depth + 2)}", f"b={self.expression(depth + 2)}",
                                f"{self.expression(depth + 2)}, b={self.expression(depth + 2)}"])

    def primary(self):
        return self.rng.choice(NAMES)

    def test(self, depth):
        return self.rng.choice(["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence", "iterable", "true", "false", "odd", "even",
                                "lower", "upper", f"divisibleby({self.rng.randrange(1, 4)})", f"eq({self.expression(depth + 2)})", f"in({self.expression(depth + 2)})",
                                f"gt({self.expression(depth + 2)})", f"sameas({self.rng.choice(['none', 'true', 'false'])})", "callable"])

    def filtered(self, depth):
        rng, e = self.rng, self.expression(depth + 1)
        arg = lambda: self.expression(depth + 2)
        name = rng.choice(["upper", "lower", "title", "capitalize", "trim", "length", "count", "string", "list|list", "first", "last", "int", "float", "abs", "round", "join", "unique|list",
                           "sort", "reverse|list", "sum", "max", "min", "tojson", "tojson(indent=2)", "dictsort", "items|list", "wordcount", "escape|string|length", "safe",
                           f"default({arg()})", f"default({arg()}, true)", f"join({arg()})", "join(', ')", f"replace({arg()}, {arg()})", "replace('a', 'b')", "indent", "indent(2, true)",
                           f"round({rng.randrange(3)})", f"int({arg()})", f"trim({rng.choice(['none', repr('a '), arg()])})", "map('upper')|list", "map('string')|list", "map('length')|list",
                           f"map(attribute='{rng.choice(['role', 'content', 'a', 'n'])}')|list", "select|list", "reject|list", "select('string')|list", "select('odd')|list",
                           f"selectattr('role', 'equalto', {arg()})|list", "selectattr('content')|list", "rejectattr('n', 'defined')|list|length", "sort(reverse=true)", "sort(attribute='role')",
                           f"batch({rng.randrange(1, 3)})|list", f"tojson(ensure_ascii={rng.choice(['true', 'false'])})", "tojson(sort_keys=true)", "map('trim')|join", "list|length"])
        return f"({e})|{name}"

    def method(self, depth):
        rng = self.rng
        arg = lambda: self.expression(depth + 2)
        name = rng.choice(["upper()", "lower()", "strip()", "lstrip()", "rstrip()", "title()", "capitalize()", "swapcase()", "split()", "splitlines()", f"split({arg()})", "split(',')",
                           "split(' ', 1)", "rsplit('l', 1)", f"startswith({arg()})", f"endswith({arg()})", "startswith('a')", f"replace({arg()}, {arg()})", "replace('l', 'L', 1)", f"find({arg()})",
                           "rfind('l')", f"count({arg()})", "isdigit()", "isalpha()", "isspace()", "islower()", "isupper()", "items()|list", "keys()|list", "values()|list", f"get({arg()})",
                           f"get('a', {arg()})", f"join({arg()})", f"index({arg()})", f"format({arg()})", "partition(',')", f"strip({arg()})", "center(9)", "zfill(5)", "ljust(6)", "copy()",
                           "append(1)", "nope()", "removeprefix('a')", f"format({arg()}, a={arg()})"])
        return f"({self.expression(depth + 1)}).{name}"

    def tag(self, text):
        signs = ["", "", "", "-", "+"]
        end = self.rng.choice(["", "", "", "-", "+"])
        return "{%" + self.rng.choice(signs) + f" {text} " + end + "%}"

    def text(self):
        return self.rng.choice(["", " ", "\n", "  \n", "x", "a b", "\n\n", "  y\n  ", "{# c #}", "{#- c -#}\n", "é ", "\t"])

    def body(self, depth, loops):
        return "".join(self.text() + self.statement(depth + 1, loops) for _ in range(self.rng.randrange(1, 3))) + self.text()

    def statement(self, depth=0, loops=0):
        rng, e = self.rng, self.expression
        output = lambda: "{{" + rng.choice(["", "-"]) + f" {e()} " + rng.choice(["", "-"]) + "}}"
        if depth > 3 or rng.random() < 0.35:
            return output()
        options = [
            lambda: self.tag(f"if {e()}") + self.body(depth, loops) + rng.choice(["", self.tag(f"elif {e()}") + self.body(depth, loops)])
            + rng.choice(["", self.tag("else") + self.body(depth, loops)]) + self.tag("endif"),
            lambda: self.tag(f"for {rng.choice(['x', 's', 'n'])} in {e()}" + rng.choice(["", "", f" if {e()}"])) + self.body(depth, loops + 1) + self.loop() + rng.choice(["", self.tag("else") + "none"]) + self.tag("endfor"),
            lambda: self.tag(f"for k, v in {e()}" + rng.choice([".items()", "|items", "|dictsort", ""])) + "{{ k }}={{ v }}" + self.tag("endfor"),
            lambda: self.tag(f"set {rng.choice(['s', 'n', 'q', 'xs'])} = {e()}"), lambda: self.tag(f"set ns.{rng.choice(['a', 'i'])} = {e()}"),
            lambda: self.tag(f"set {rng.choice(['s', 'q'])}") + self.body(depth, loops) + self.tag("endset"), lambda: self.tag(f"set q, t = {e()}"),
            lambda: self.tag(f"with n = {e()}, q = n") + self.body(depth, loops) + self.tag("endwith"),
            lambda: self.tag(f"filter {rng.choice(['upper', 'trim', 'indent(2)', 'title', 'lower'])}") + self.body(depth, loops) + self.tag("endfilter"),
            lambda: self.tag("call" + rng.choice(["(x)", ""]) + " macro2(" + e() + ")") + self.body(depth, 0) + self.tag("endcall"),
            lambda: self.tag("generation") + self.body(depth, 0) + self.tag("endgeneration"), lambda: "{% raw %} {{ x }} {% endraw %}",
            lambda: "{{ raise_exception('stop') }}" if rng.random() < 0.1 else output(),
            lambda: self.tag(f"macro macro{rng.randrange(2)}(a, b={e()})") + self.body(depth, 0) + "{{ a }}" + self.tag("endmacro")]
        if loops:
            options += [lambda: self.tag(f"if {e()}") + self.tag(rng.choice(["break", "continue"])) + self.tag("endif")]
        return rng.choice(options)()

    def loop(self):
        return "{{ loop." + self.rng.choice(["index", "index0", "first", "last", "length", "revindex", "revindex0", "depth", "previtem", "nextitem", "cycle('a', 'b')", "changed(n)"]) + " }}"

    def template(self):
        head = "{% set ns = namespace(a=1) %}{% macro macro0(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{% macro macro1() %}one{{ varargs }}{% endmacro %}{% macro macro2(a) %}<{{ caller(a) }}>{% endmacro %}"
        return head + "".join(self.text() + self.statement() for _ in range(self.rng.randrange(1, 5))) + self.text()


# What is not compared: text with an address or without meaning, and limits of our own.
OTHER = ("object at 0x", "<built-in", "<bound method", "<Macro", "<function", "<LoopContext", "<generator", "<itertools", "iterator", "<class", "dict view")
OURS = ("has to fit into 64 bits", "too large", "** of floats", "nested too deeply", "is not supported", "too many blocks")


def compared(probe, template, ctx):
    what = oracle.difference(probe, template, ctx)
    if what is None or any(word in what for word in OURS) or any(word in what for word in OTHER):
        return None
    return what


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("-n", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng, probe = random.Random(options.seed), oracle.Probe(options.probe)
    bad = refused = 0
    for _ in range(options.n):
        template, ctx = Maker(rng).template(), context(rng)
        what = compared(probe, template, ctx)
        refused += probe.status != 0
        if what:
            bad += 1
            print(f"{template!r}\n with {ctx!r}\n line {probe.line}: {what}")
            if bad > 10:
                break
    print(f"{options.n} templates, {refused} errors on both sides, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
