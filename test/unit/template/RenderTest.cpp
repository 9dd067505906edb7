// The interpreter: scopes, memory, steps, errors with their lines, what a context may be. test/template compares texts with Jinja.
#include "Rendered.h"

#include <catch2/catch.hpp>

using namespace fixtures;

TEST_CASE("names come from scopes, then the context, then the tokens, then the functions") {
  const std::string text = "{{ bos_token }}{{ range }}{% set bos_token = 'set' %}{{ bos_token }}"
                           "{% for bos_token in [1] %}{{ bos_token }}{% endfor %}{{ bos_token }}";
  CHECK(render("{{ bos_token }}", "{}", {}, {{"bos_token", "<s>"}}).text == "<s>");
  CHECK(render("{{ bos_token }}", R"({"bos_token": "own"})", {}, {{"bos_token", "<s>"}}).text == "own");
  CHECK(render("{{ bos_token }}", R"({"bos_token": null})", {}, {{"bos_token", "<s>"}}).text == "None");
  CHECK(render("{{ range }}", R"({"range": 3})").text == "3");
  CHECK(render("{% for x in [1] %}{{ x }}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", R"({"x": 0})").text == "120");
}

TEST_CASE("what a loop sets ends with its round, a namespace stays") {
  CHECK(render("{% set n = namespace(i=0) %}{% for a in [1, 2, 3] %}{% if s is defined %}!{% endif %}{% set s = 1 %}"
               "{% set n.i = n.i + a %}{% endfor %}{{ n.i }}",
               "{}")
            .text == "6");
}

TEST_CASE("macros see their parameters, defaults, caller and what is around them") {
  CHECK(render("{% macro m(a, b=a ~ '!') %}{{ a }}{{ b }}{{ caller() }}{% endmacro %}{% call m(1) %}in{% endcall %}", "{}").text ==
        "11!in");
  CHECK(render("{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "{}").text == "3210");
}

TEST_CASE("an error has the line of what failed") {
  auto failed = render("a\n{% if true %}\n{{ x.y.z }}\n{% endif %}", "{}");
  CHECK(failed.status == HR_TEMPLATE_ERROR);
  CHECK(failed.line == 3);
  CHECK(failed.raised == 0);
  CHECK(failed.message.find("'x'") != std::string::npos);
  auto raised = render("\n\n{{ raise_exception('no ' ~ who) }}", R"({"who": "é"})");
  CHECK(raised.status == HR_TEMPLATE_ERROR);
  CHECK(raised.raised == 1);
  CHECK(raised.message == "no é");
}

TEST_CASE("a template without an end runs out of steps") {
  auto endless = render("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "{}", {1 << 16, 1 << 20, 100000});
  CHECK(endless.status == HR_TEMPLATE_ERROR);
  CHECK(endless.message.find("does not come to an end") != std::string::npos);
  auto deep = render("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{}");
  CHECK(deep.status == HR_TEMPLATE_ERROR);
}

TEST_CASE("too little memory says which, and more of it helps") {
  const std::string context = R"({"s": ")" + std::string(2000, 'x') + "\"}";
  auto small = render("{{ s }}{{ s }}", context, {3999, 1 << 20});
  CHECK(small.status == HR_OUT_OF_MEMORY);
  CHECK(small.outOf == HR_OUT_OF_TEXT);
  CHECK(render("{{ s }}{{ s }}", context, {4000, 1 << 20}).text.size() == 4000);
  bool fits = false;
  for (size_t scratch = 0; !fits && scratch < size_t(1) << 20; scratch += 509) { // none of them is written past
    auto result = render("{{ s | upper }}{{ [s, s] | join }}", context, {1 << 16, scratch});
    fits = result.status == HR_OK;
    if (!fits) {
      REQUIRE(result.status == HR_OUT_OF_MEMORY);
      REQUIRE(result.outOf == HR_OUT_OF_SCRATCH);
    }
  }
  CHECK(fits);
}

TEST_CASE("a context is a JSON object in UTF-8") {
  for (const char *context : {"", "[]", "5", "{", "{\"a\": }", "{\"a\": 1} x", "{\"a\": 01}", "{a: 1}"}) {
    INFO(context);
    CHECK(render("x", context).status == HR_INVALID_ARGUMENT);
  }
  CHECK(render("x", "{\"a\": \"\xff\"}").status == HR_BAD_TEXT);
  CHECK(render("{{ a }}", R"({"a": "\u00e9\ud83d\ude00\n"})").text == "é😀\n");
}

TEST_CASE("values print as Python prints them") {
  CHECK(render("{{ a }}", R"({"a": [1, 1.0, 1e22, true, null, "x'y", {"b": []}]})").text ==
        "[1, 1.0, 1e+22, True, None, \"x'y\", {'b': []}]");
  CHECK(render("{{ a | tojson }}", R"({"a": {"é": [1.5, null, "<&>"]}})").text == R"({"é": [1.5, null, "<&>"]})");
  CHECK(render("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 10 }}", "{}").text == "3 -4 2 3.5 1024");
}

TEST_CASE("tags take the white space that Hugging Face takes") {
  CHECK(render("a\n  {% if true %}\n  b\n  {% endif %}\nc\n", "{}").text == "a\n  b\nc");
  CHECK(render("a  {{- 1 -}}  b", "{}").text == "a1b");
}

TEST_CASE("what is not Jinja is refused with its line") {
  for (const char *text : {"\n{% if %}", "\n{{ a b }}", "\n{% for %}", "\n{{ 'a }}", "\n{% unknown %}", "\n{{ x | nofilter }}"}) {
    auto refused = render(text, "{}");
    INFO(text);
    CHECK(refused.status == HR_BAD_BUNDLE);
    CHECK(refused.message.rfind("t:2: ", 0) == 0);
  }
}

TEST_CASE("letters become several, and a final sigma looks at its neighbours") {
  CHECK(render("{{ s.upper() }} {{ s.title() }} {{ s.capitalize() }} {{ s.casefold() }}", R"({"s": "ßﬁ ǆ"})").text ==
        "SSFI Ǆ Ssﬁ ǅ Ssﬁ ǆ ssfi ǆ");
  CHECK(render("{{ s | lower }}", R"({"s": "ΑΣ ΑΣ. ΣΑ Σ Α.Σ:Α İ"})").text == "ας ας. σα σ α.σ:α i̇");
}

TEST_CASE("widths are taken as they are, or refused") {
  CHECK(render("{{ '%200000d' % 5 }}", "{}", {1 << 20, 1 << 20}).text == std::string(199999, ' ') + "5");
  CHECK(render("{{ '{:>200000}'.format(5) }}", "{}", {1 << 20, 1 << 20}).text == std::string(199999, ' ') + "5");
  for (const char *text : {"{{ '%99999999999d' % 5 }}", "{{ '{:99999999999}'.format(5) }}", "{{ '{99999999999}'.format(5) }}"})
    CHECK(render(text, "{}").message == "format: expected numbers of at most 31 bits");
  CHECK(render("{{ '%.61f' % 0.1 }}", "{}").message == "format: expected at most 60 digits behind the point");
  CHECK(render("{{ '%.60f' % 0.5 }}", "{}").text == "0.5" + std::string(59, '0'));
}

TEST_CASE("formats that are not known are refused") {
  CHECK(render("{{ '%#x' % 255 }}", "{}").message == "format '%#x' is not supported");
  CHECK(render("{{ '%#.0f' % 2.5 }}", "{}").message == "format '%#.0f' is not supported");
  CHECK(render("{{ '{:.3}'.format(2.5) }}", "{}").message == "format '' is not supported for this value");
  CHECK(render("{{ '{:x}'.format(2.5) }}", "{}").message == "format 'x' is not supported for this value");
}

TEST_CASE("now is a time in ISO 8601, or absent") {
  RenderMemory given;
  given.now = "2026-07-04T09:05:03";
  const std::string year = "{{ strftime_now('%Y') }}";
  CHECK(render(year, "{}", given).text == "2026");
  CHECK(render(year, R"({"now": null})", given).text == "2026");
  CHECK(render(year, R"({"now": "2020-01-02"})", given).text == "2020");
  CHECK(render(year, R"({"now": 5})", given).message == "now: expected a time of ISO 8601, found 'int'");
  CHECK(render(year, R"({"now": {}})", given).status == HR_TEMPLATE_ERROR);
  CHECK(render("{{ now }}", R"({"now": 5})", given).text == "5");
  CHECK(render(year, "{}").status == HR_TEMPLATE_ERROR);
}
