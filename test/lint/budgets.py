"""Sizes of files and functions against the project's budgets; the report also tells the share of comments."""
import re

FILE_LIMIT = 800
FUNCTION_LIMIT = 80
FILE_GOAL = (180, 500)     # median, 90th percentile
FUNCTION_GOAL = 40         # 90th percentile
CMAKE_OPTIONS = 12
CODE = (".c", ".cpp", ".h", ".td")
KEYWORDS = ("namespace", "extern", "struct", "class", "enum", "union", "if", "for", "while", "switch", "do", "else", "return", "=")


def blank_literals(text):
    """The text with comments and literals blanked, line structure kept, so that braces can be counted."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.S)


def functions(text):
    """(first line, lines, header) of every function body: a brace whose header ends in a parameter list and is not a statement."""
    code = blank_literals(text)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), code, flags=re.M)
    stack, start = [], 0
    for i, c in enumerate(code):
        if c == "{":
            header = code[start:i].strip()
            stack.append((i, header))
            start = i + 1
        elif c == "}" and stack:
            at, header = stack.pop()
            start = i + 1
            inside = any(is_function(h) for _, h in stack)
            if is_function(header) and not inside:
                first = code.count("\n", 0, at) + 1
                yield first, code.count("\n", at, i) + 1, " ".join(header.split())[-90:]
        elif c == ";":
            start = i + 1


def is_function(header):
    word = re.match(r"[\w=]+", header)
    if not header or (word and word.group(0) in KEYWORDS and not header.startswith(("struct", "enum"))):
        return False
    return bool(re.search(r"\)\s*(const|override|noexcept|mutable|final|->\s*[\w:<>, *&]+|:\s*.*)*\s*$", header, re.S))


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0


def measure(texts):
    lines, sizes, comments, total = {}, {}, 0, 0
    for name, text in texts.items():
        if not name.endswith(CODE):
            continue
        rows = text.splitlines()
        lines[name] = len(rows)
        total += sum(1 for r in rows if r.strip())
        comments += sum(1 for r in rows if re.search(r"//|/\*|^\s*\*", r))
        for first, size, header in functions(text) if not name.endswith(".td") else ():
            sizes[f"{name}:{first}: {header}"] = size
    return lines, sizes, comments / max(1, total)


def check(texts):
    lines, sizes, _ = measure(texts)
    for name, text in texts.items():
        count = len(text.splitlines())
        if count > FILE_LIMIT and name.endswith(CODE + (".py", ".sh", ".cmake")):
            yield f"{name}: {count} lines, limit {FILE_LIMIT}"
    for where, size in sizes.items():
        if size > FUNCTION_LIMIT and "TEST_CASE" not in where:  # tables of cases may be long
            yield f"{where}: {size} lines, limit {FUNCTION_LIMIT}"
    options = len(re.findall(r"^option\(", texts.get("CMakeLists.txt", ""), re.M))
    if options > CMAKE_OPTIONS:
        yield f"CMakeLists.txt: {options} options, limit {CMAKE_OPTIONS}"


def report(texts):
    lines, sizes, share = measure(texts)
    return (f"files: {len(lines)}, median {quantile(lines.values(), 0.5)} lines (goal {FILE_GOAL[0]}), 90 % under "
            f"{quantile(lines.values(), 0.9)} (goal {FILE_GOAL[1]}); functions: {len(sizes)}, 90 % under {quantile(sizes.values(), 0.9)} lines "
            f"(goal {FUNCTION_GOAL}), longest {max(sizes.values(), default=0)}; lines with comments {100 * share:.0f} %")
