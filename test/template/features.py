#!/usr/bin/env python3
"""One small template for each feature of the language, against Jinja. usage: features.py PROBE; exits with 77 without Jinja."""
import sys

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

CONTEXT = {
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yo é 你", "n": 2}, {"role": "user", "content": "b"}],
    "x": 5, "y": -3, "z": 2.5, "big": 123456789012345678, "most": 9223372036854775807, "least": -9223372036854775808, "t": True, "f": False, "none": None, "now": "2026-07-04T09:05:03",
    "s": "Hello World, hello  moon\n line two\r\n\tthree ", "u": "ÄÖ ß éa ǆ Σας 你好 😀\u00a0\u2003", "e": "", "html": "<a href=\"x\">&'</a>",
    "xs": [3, 1, 2, 3], "words": ["b", "A", "c", "a"], "d": {"b": 1, "a": [1, 2.5, None, True, "x'y"], "items": "no", "é": {}},
    "people": [{"n": "Bo", "a": {"g": 3}}, {"n": "al", "a": {"g": 1}}, {"n": "cy", "a": {"g": 3}}, {"a": {}}], "fl": [0.1, 1e22, -0.0, 1e-5, 123456.789],
    "bos_token": "<s>",
}

STATEMENTS = r"""
{% if x %}a{% endif %}b
{% if f %}a{% elif x > 3 %}b{% else %}c{% endif %}
{%- if x -%}  a  {%- endif -%}  b
  {% if x %}  indented {% endif %}  tail
a  {%+ if x %} b {%+ endif %} c
{# a comment #}x{#- another -#}  y
{% raw %}{{ x }} {% if %}{% endraw %}z
  {%- raw -%}  {{ x }}  {%- endraw -%}  z
{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }}{{ m.role }};{% endfor %}
{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }}{{ m.content }}{% else %}none{% endfor %}
{% for m in [] %}a{% else %}none{% endfor %}
{% for m in nothing %}a{% else %}none{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }},{% endfor %}
{% for k in d %}{{ k }},{% endfor %}{% for c in "aé你" %}{{ c }}.{% endfor %}
{% for a in xs %}{% for b in xs %}{{ loop.index }}{% endfor %}{{ loop.index }}|{% endfor %}
{% for a in xs %}{{ loop.previtem }}<{{ a }}<{{ loop.nextitem }};{{ loop.previtem is defined }}{% endfor %}
{% for a in xs %}{{ loop.cycle('odd', 'even') }}{{ loop.changed(a) }}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}
{% for a in xs %}{% if a == 1 %}{% continue %}{% endif %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% else %}no{% endfor %}
{% for a in xs %}{% set y = a %}{{ y }}{% endfor %}{{ y }}
{% for a in xs %}{% set q %}{{ a }}{% if a == 2 %}{% break %}{% endif %}{% endset %}{{ q }}{% endfor %}-
{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(5, 1, -2) %}{{ i }}{% endfor %}{{ range(3) }}{{ range(0, 9, 3) }}{{ range(4)|list }}{{ range(5)[2] }}
{% for a, (b, c) in [(1, (2, 3)), (4, [5, 6])] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{% endfor %}
{% for a in 5 %}{% endfor %}
{% set a = 1 %}{% set b, c = 2, 3 %}{{ a }}{{ b }}{{ c }}{% set a = a + 1 %}{{ a }}
{% set a %}  text {{ x }} {% endset %}[{{ a }}]{% set b | upper | trim %} q {% endset %}[{{ b }}]
{% set ns = namespace(i=0, found=false) %}{% for a in xs %}{% set ns.i = ns.i + a %}{% if a == 2 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.i }}{{ ns.found }}{{ ns.missing is defined }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns['a'] }}{{ ns }}
{% set x.y = 1 %}
{% set ns = namespace() %}{% set ns.t %}block{% endset %}{{ ns.t }}
{% if t %}{% set v = 1 %}{% endif %}{{ v }}
{% macro m(a, b=2, c='x') %}[{{ a }}|{{ b }}|{{ c }}]{% endmacro %}{{ m(1) }}{{ m(1, 5) }}{{ m(c=3, a=4) }}{{ m() }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}
{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, k=3) }}
{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{% endmacro %}{{ m(b=2) }}
{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}
{% macro fact(n) %}{{ n }}{% if n > 1 %},{{ fact(n - 1) }}{% endif %}{% endmacro %}{{ fact(5) }}
{% macro outer() %}<{{ caller() }}>{% endmacro %}{% call outer() %}in {{ x }}{% endcall %}
{% macro each(l) %}{% for a in l %}{{ caller(a, loop.index) }}{% endfor %}{% endmacro %}{% call(v, i) each(xs) %}({{ i }}:{{ v }}){% endcall %}
{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}
{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}
{% macro m() %}{{ later }}{% endmacro %}{% set later = 7 %}{{ m() }}
{% macro m(a) %}{% set x = a %}{{ x }}{% endmacro %}{{ m(9) }}{{ x }}
{% set m = 3 %}{% for i in xs %}{% macro q() %}{{ i }}{{ m }}{% endmacro %}{{ q() }}{% endfor %}
{% filter upper %}abc {{ s }}{% endfilter %}{% filter replace('a', 'b') | upper %}banana{% endfilter %}
{% with a = 1, b = x %}{{ a }}{{ b }}{% endwith %}{{ a }}{% with %}{% set c = 3 %}{{ c }}{% endwith %}{{ c }}
{% with x = 1, q = x %}{{ x }}{{ q }}{% endwith %}
{% generation %}answer {{ x }}{% set g = 1 %}{% endgeneration %}{{ g }}
{% do x %}
{% if x %}
{% endif %}
{% set a = %}
{{ x
{{ x } }}
{% for a in xs %}{{ loop.unknown }}|{% endfor %}
{% break %}
line one
{{ x }}

{% if x %}
  kept
{% endif %}

end

{%- for a in xs %}
  {{- a }}
{% endfor -%}
   x   {{- x -}}   y   {{ x }}   z
{{ strftime_now('%d %b %Y') }}{{ strftime_now('%A %a %B %H:%M:%S %y %j %p %I %e %-d %-m %D %F %T %R %c %x %X %%') }}
{{ raise_exception('no ' ~ x) }}
{{ raise_exception('é\n"quoted"') }}
{% if x %}{{ y | nofilter }}{% endif %}
{% if f %}{{ y | nofilter }}{% endif %}ok
{% if x %}a{% elif y|nofilter %}b{% endif %}
{% if f %}{% set q %}{{ y | nofilter }}{% endset %}{% endif %}ok
{% if f %}{% with q = y|nofilter %}{% endwith %}{% endif %}ok
{% if f %}{% with q = y %}{{ q|nofilter }}{% endwith %}{% endif %}ok
{% if f %}{% for m in y|nofilter %}{% endfor %}{% endif %}ok
{% if f %}{% for m in y if m|nofilter %}{% endfor %}{% endif %}ok
{% if f %}{% for m in y %}{{ m is notest }}{% endfor %}{% endif %}ok
{% if f %}{% macro q(a=y|nofilter) %}{% endmacro %}{% endif %}ok
{% if f %}{% filter nofilter %}a{% endfilter %}{% endif %}ok
{{ 'a' if x else y|nofilter }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.current }}
{% set j = joiner('|') %}{% for a in xs %}{{ j() }}{{ a }}{% endfor %}{% set j = joiner() %}{{ j() }}{{ j() }}
""".strip("\n").split("\n")

EXPRESSIONS = r"""
x y z t none s nothing d xs big fl e u html
1 1.5 1e3 1_000 0x1f 0b11 0o17 'a' "b" 'a''b' 'a\nb\t\'\"\\\x41\u00e9\q' [] [1] (1,) () (1,2) {} {'a':1} {'a':1,2:3}
most least most-is-number least<most most|tojson least|string
1+2 1-2 2*3 7/2 7//2 -7//2 7%3 -7%3 7%-3 2**10 2**-1 2.5*2 1/3 7.5//2 -7.5//2 7.5%2 -7.5%2 1e308*10 0.1+0.2 10/5 1/0 1//0 1%0 1.5%0
'a'+'b' 'a'*3 3*'ab' [1]+[2] [1]*2 (1,)+(2,) 'a'~1~none~t 'a'+1 1+'a' []+() none+1 x+nothing 9223372036854775807 -x +x -t +t -s
1==1 1==1.0 1==true 'a'==1 none==none nothing==none nothing==other [1]==[1] (1,)==[1] d==d 1!=2 1<2 2<=2 3>2 'a'<'b' 'B'<'a' [1,2]<[1,3] 1<'a' none<1 1<2<3 1<3<2 3>2>1
1&2 x|int 1.0==1 z<3 z>2.5 z>=2.5 big==big+0.0 big<1e30
x-in-xs 3-in-xs 3-not-in-xs 'el'-in-s 'q'-not-in-s 'a'-in-d 1-in-'a' 1-in-none 1-in-5 'a'-in-nothing x-in-range(6) 1-in-(1,2)
not-x not-not-x x-and-y e-or-'d' none-or-0 x-and-none-or-'q' not-x-and-y
'a'-if-x-else-'b' 'a'-if-f-else-'b' 'a'-if-f ('a'-if-f)-is-defined ('a'-if-f).x 1-if-f-else-2-if-f-else-3
d.b d['b'] d.a d.items() d.keys() d['nope'] d.nope d.nope.x d['items'] d.get('b') d.get('q') d.get('q',7) d.values() d.items() d.values()|list d.items()|list d.keys()|list d.update({}) d.pop('a') d.copy() d.a[0] d.a.0 d.a[-1] d.a[9] d.a['x'] none.x none['x'] xs.append(1) xs.index(2) xs.count(3) xs.sort() xs.q nothing.x nothing['x'] nothing() x()
s[0] s[-1] s[1:4] s[:3] s[-3:] s[::2] s[::-1] s[5:1:-1] u[1] u[::-1] xs[1:] xs[::-1] xs[:-1] xs[10:] xs[::0] xs[none:2] (1,2,3)[1:] x[0] x[1:] s['a'] d[1:] s[100] s[1.5] xs[true]
x-is-defined nothing-is-defined nothing-is-undefined none-is-none x-is-number z-is-number t-is-number x-is-integer t-is-integer z-is-float t-is-boolean s-is-string xs-is-string d-is-mapping xs-is-mapping xs-is-sequence s-is-sequence d-is-sequence x-is-sequence nothing-is-sequence xs-is-iterable x-is-iterable s-is-iterable none-is-iterable nothing-is-iterable
x-is-odd x-is-even x-is-divisibleby(5) x-is-divisibleby-2 x-is-eq-5 x-is-equalto(5) x-is-ne-4 x-is-gt-3 x-is-ge-5 x-is-lt-9 x-is-le-4 x-is-in-xs x-is-not-in([5]) x-is-sameas-5 none-is-sameas-none t-is-sameas-true t-is-true f-is-false x-is-true s-is-lower 'abc'-is-lower 'ABC'-is-upper range-is-callable x-is-callable nothing-is-callable x-is-not-defined s-is-escaped (s|e)-is-escaped s-is-odd x-is-unknown
s|upper s|lower s|title s|capitalize s|trim s|length s|wordcount s|reverse s|list|length s|replace('l','L') s|replace('l','L',1) s|replace('','-') s|first s|last s|indent s|indent(2,true) s|indent(2,true,true) s|indent('>>') s|string s|safe s|e html|e html|safe html|e|e s|int s|float s|default('q') nothing|default('q') nothing|d e|default('q',true) none|default('q') none|default('q',true) u|upper u|lower u|title u|capitalize u|length u|trim u|wordcount
html|e+'<' '<'+html|safe (html|safe)~'<' (html|safe)[1:5]+'<' (html|safe).upper()+'<' (html|safe)|trim+'<' [html|safe] (html|safe)*2+'<' ('a<b,c'|safe).split(',') ('<'|safe).join(['&','b'|safe]) (html|safe)|replace('a','<')+'<' (html|safe)|tojson
'5'|int '5.7'|int 'x'|int 'x'|int(3) '0x1f'|int(0,16) '11'|int(base=2) 5.9|int -5.9|int none|int t|int '1_0'|int nothing|int '2.5'|float 'x'|float 'x'|float(1.5) 'nan'|float 'inf'|float '-inf'|float '1e5'|float 5|float none|float
2.567|round 2.567|round(2) 2.5|round 3.5|round -2.5|round 5|round 2.1|round(0,'ceil') 2.9|round(method='floor') 2.345|round(2,'ceil') 1234.5|round(-2) 0.5|round -1|abs -1.5|abs t|abs s|abs 1e16|round(2) 2.675|round(2) -0.0|round(1,'ceil') -5|round(-2,'ceil')
xs|first xs|last []|first []|last xs|length xs|sum xs|max xs|min []|max xs|sort [none,none]|sort [none,1]|sort [nothing,nothing]|sort|length words|sort(attribute='q') 'inf'|float|int 'nan'|float|int 'inf'|int xs|sort(reverse=true) words|sort words|sort(case_sensitive=true) xs|unique|list words|unique|list xs|reverse|list xs|join xs|join(',') xs|list d|list d|length d|first d|dictsort d|dictsort(by='value') d|dictsort(reverse=true) d|items|list nothing|items|list xs|string xs|tojson x|list x|length none|length none|list nothing|length nothing|list nothing|join nothing|first
xs|map('string')|join('-') xs|map('int')|list words|map('upper')|list words|map('replace','a','b')|list words|map('default','q')|list people|map(attribute='n')|list people|map(attribute='n',default='?')|list people|map(attribute='a.g')|list xs|map('nofilter')|list none|map('upper')|list xs|map(attribute='x')|list
xs|select|list xs|select('odd')|list xs|reject('odd')|list xs|select('gt',2)|list xs|select('in',[1,2])|list people|selectattr('n')|list|length people|rejectattr('n')|list|length people|selectattr('n','defined')|list|length people|selectattr('n','equalto','Bo')|list people|selectattr('a.g','==',3)|map(attribute='n')|list people|rejectattr('n','undefined')|map(attribute='n')|join xs|select('nope')|list xs|select('gt')|list
people|sort(attribute='a.g')|map(attribute='n')|list people[:3]|sort(attribute='n')|map(attribute='n')|list people[:3]|sort(attribute='a.g,n')|map(attribute='n')|list people[:3]|sum(attribute='a.g') people[:3]|max(attribute='n') people[:3]|min(attribute='a.g') people[:3]|join(',',attribute='n') people[:3]|unique(attribute='a.g')|list|length people[:3]|sort([1])
xs|batch(2)|list xs|batch(3,0)|list xs|map('string')|length (xs|map('string'))|first xs|map('float')|sum xs|sort|first words|sort|join|upper words|join|length
d|tojson d|tojson(indent=2) xs|tojson xs|tojson(indent=1) s|tojson u|tojson u|tojson(ensure_ascii=true) {}|tojson []|tojson {}|tojson(indent=2) []|tojson(indent=2) none|tojson t|tojson z|tojson fl|tojson nothing|tojson range(2)|tojson (1,2)|tojson d|tojson(separators=(',',':')) d|tojson(sort_keys=true) {1:2,none:3,true:4}|tojson html|tojson '\u2028\x7f\x01'|tojson d|tojson(2) d|tojson(indent='\t') big|tojson ns|tojson range|tojson
s.upper() s.lower() s.title() s.capitalize() s.swapcase() s.strip() s.lstrip() s.rstrip() s.strip('H\x20') u.strip() u.upper() u.lower() s.split() s.split('l') s.split('l',1) s.split(none,2) s.split(maxsplit=1) s.rsplit('l',1) s.rsplit(none,1) s.split('') s.splitlines() s.splitlines(true) s.startswith('He') s.startswith(('a','H')) s.endswith('e\x20') s.replace('l','L') s.replace('l','L',2) s.replace('','-') s.find('o') s.rfind('o') s.find('zz') s.find('o',5) s.find('o',5,8) s.index('zz') s.count('l') s.count('') u.find('你') ','.join(words) ','.join(xs) 'abc'.isalpha() '12'.isdigit() ''.isdigit() 'a1'.isalnum() '\x20\t'.isspace() 'Ab'.istitle() 'ab'.islower() 'AB'.isupper() 'aé'.isascii()
'ab'.center(5) 'ab'.center(6,'*') 'abc'.center(6) 'ab'.ljust(5)~'|' 'ab'.rjust(5,'0') '-5'.zfill(4) 'a-b-c'.partition('-') 'a-b-c'.rpartition('-') 'abc'.partition('x') 'abc'.rpartition('x') 'abc'.removeprefix('a') 'abc'.removesuffix('c') 'ß'.upper() 'Straße'.casefold() s.nope s.nope()
'{}-{}'.format(1,'a') '{0}{1}{0}'.format('a','b') '{a}'.format(a=1) '{:.2f}'.format(3.14159) '{:05d}|{:5}|{:>5}|{:<5}'.format(42,'a','b','c') '{{}}'.format() '{}'.format() '{:06}|{:>06}|{:<06}|{:6}|{:>4}'.format('a','b',7,true,1.5) '{:x}|{:6X}|{:.1f}|{:F}'.format(255,171,2,true) '{:d}'.format(2.0) '{:s}'.format(2) '{:.2}'.format(5) '{:x}'.format(2.5) '{:5}'.format([]) '{:.2d}'.format(5) '{:}|{:.2}|{:.1s}'.format(true,'abc','abc')
'%s-%d'|format('a',5) '%05.2f'%3.14159 '%s'%'x' '%s\x20%s'%(1,2) '%(a)s'%{'a':1} '%d%%'%5 '%s'%(1,2) '%s%s'%1 '%x'%255 '%5s|%-5s|'%('a','b') '%r'%'a' '%d'%'a' '%.3s'%'abcdef' '%i'%3.9 '%.3d|%6.4d|%06.3d|%-6.3d|%+.2u'|format(5,-7,5,5.9,true) '%.4x|%.3o|%8.4X'|format(255,8,171) '%x'%2.5 '%o'%2.0 '%#s|%#d'|format(1,2)
namespace(a=1).a dict(a=1,b=2) dict([('a',1)]) dict(d,q=1)|length range(100001)|length range(1000000000)|length range(1,2,0) range(-5) range(x) range('a') namespace(_a=1) x.__class__ ''.__class__ d.__len__
(1,2)|list (1,)|string [1,'a',none,true,1.5,[],{},()] ['it\'s'] ["a\"b'c"] ['\n\t\\\x00é\u200b'] {'a':{'b':[1]}} [nothing] [range(2)] none|string t|string 1.0|string 1e16|string 1e15|string 123456789.123|string 1e-4|string 1e-5|string 5e-324|string 1.7976931348623157e308|string 100000000000000000000.0|string 0.1|string
x|default(1)|string|length ((x+1)*2)|string x if-x -x|abs (-x)|abs -1|string not-x|string x-is-defined-and-y-is-defined x-is-not-none-and-x>3 x>3-and-x<9 x~y~z x~y+1 1~2*3 2**3**2 -2**2 2*-3 (1,2)+(3,) [x,y][0] {'a':x}.a {'a':x}['a'] [1,2,3][1:][0] 'a,b'.split(',')[1] 'a,b'.split(',')|last (d|items|first)[0] d.a|length-1
""".strip("\n").split("\n")


def expressions():
    """Words are expressions; a - between letters that is no operator stands for a blank (x-is-odd)."""
    words = {"is", "in", "not", "and", "or", "if", "else"}
    for line in EXPRESSIONS:
        for text in line.split():
            parts = text.split("-")
            out = parts[0]
            for before, after in zip(parts, parts[1:]):
                last = before.replace("(", " ").replace(")", " ) ").split()[-1:] or [""]
                first = after.replace("(", " ( ").replace(")", " ) ").split()[:1] or [""]
                name = first[0].split("(")[0]
                blank = last[0] in words or name in words or (last[0] in {"in", "lt", "gt", "le", "ge", "eq", "ne", "sameas", "divisibleby"})
                blank |= name in {"none", "undefined", "defined"} and last[0] in words
                out += (" " if blank else "-") + after
            yield out


def main():
    probe = oracle.Probe(sys.argv[1])
    templates = STATEMENTS + ["\n".join(STATEMENTS[-20:-12])] + ["{{ " + e + " }}" for e in expressions()]
    templates += ["a\n", "a\n\n", "a\r\nb\r\n", "  {% if x %}\n  b\n  {% endif %}\n", "{{ x }}\n", "\n", "", "{% raw %}\n a\n{% endraw %}\nb",
                  "{#\n c #}\n d", "x\n   {#- c #}\n  y", "{{ '}}' }}{{ \"%}\" }}", "{{ {'a': {'b': 1}}.a.b }}", "{{ '{{' }}", "a{", "{", "{%", "{{", "{#", "}}", "%}"]
    bad = 0
    for template in templates:
        what = oracle.difference(probe, template, CONTEXT)
        if what:
            bad += 1
            print(f"{template!r}: {what}")
    print(f"{len(templates)} templates, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
