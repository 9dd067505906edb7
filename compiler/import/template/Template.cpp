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
} // namespace

Result<std::vector<uint8_t>> compileTemplate(std::string_view text, std::string_view where,
                                             const TemplateDefaults &defaults) {
  const std::string place(where);
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
  jinja::Section section;
  if (auto emitted = jinja::emit(**body, section); !emitted)
    return numbered(emitted.error());
  for (const auto &[name, value] : defaults)
    section.defaults.push_back({section.name(name), section.stringConstant(value)});
  std::vector<uint8_t> bytes = section.bytes();
  if (bytes.empty())
    return expectedFound(place, "a template of at most 16 MiB when compiled", "a larger one");
  return bytes;
}

} // namespace headrace
