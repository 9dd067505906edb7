#include "compiler/import/template/Template.h"

#include "compiler/import/template/Emit.h"
#include "compiler/import/template/Parser.h"
#include "compiler/support/ErrorText.h"

#include <utf8proc.h>

namespace headrace {

namespace {
constexpr size_t maxText = size_t(1) << 20;

bool isUtf8(std::string_view text) {
  auto *at = reinterpret_cast<const utf8proc_uint8_t *>(text.data());
  for (auto left = utf8proc_ssize_t(text.size()); left > 0;) {
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t n = utf8proc_iterate(at, left, &code);
    if (n < 1)
      return false;
    at += n;
    left -= n;
  }
  return true;
}
/// Adds the code of one template to the section.
Result<void> emitText(std::string_view text, const std::string &place, jinja::Section &section) {
  if (text.size() > maxText)
    return expectedFound(place, "a template of at most 1 MiB", std::to_string(text.size()) + " bytes");
  if (!isUtf8(text))
    return expectedFound(place, "UTF-8", "bytes that are not");
  auto numbered = [&](const Error &error) { return Error(place + ":" + error.message()); };
  auto tokens = jinja::tokenize(text);
  if (!tokens)
    return numbered(tokens.error());
  auto body = jinja::parseTemplate(tokens.take());
  if (!body)
    return numbered(body.error());
  if (auto emitted = jinja::emit(**body, section); !emitted)
    return numbered(emitted.error());
  return {};
}

Result<std::vector<uint8_t>> finish(jinja::Section &section, const std::string &place,
                                    const TemplateDefaults &defaults) {
  for (const auto &[name, value] : defaults)
    section.defaults.push_back({section.name(name), section.stringConstant(value)});
  std::vector<uint8_t> bytes = section.bytes();
  if (bytes.empty())
    return expectedFound(place, "a template of at most 16 MiB when compiled", "a larger one");
  return bytes;
}

/// What stands for the template of contexts without tools where there is none.
constexpr std::string_view noDefault = R"({{ raise_exception("expected a chat template named 'default', found only )"
                                       R"('tool_use', for contexts with tools") }})";
} // namespace

Result<std::vector<uint8_t>> compileTemplate(std::string_view text, std::string_view where,
                                             const TemplateDefaults &defaults) {
  jinja::Section section;
  HR_TRY(emitText(text, std::string(where), section));
  return finish(section, std::string(where), defaults);
}

Result<std::vector<uint8_t>> compileTemplate(const TemplateSource &source) {
  if (!source.tools)
    return compileTemplate(source.plain->text, source.plain->where, source.tokens);
  jinja::Section section;
  uint32_t jump = jinja::emitToolsTest(section);
  HR_TRY(source.plain ? emitText(source.plain->text, source.plain->where, section) : emitText(noDefault, "", section));
  jinja::land(section, jump);
  HR_TRY(emitText(source.tools->text, source.tools->where, section));
  return finish(section, source.tools->where, source.tokens);
}

} // namespace headrace
