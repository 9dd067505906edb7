#include "compiler/import/template/Section.h"

#include "compiler/import/template/Cases.h"

#include <cstring>

namespace headrace::jinja {

std::pair<uint32_t, uint32_t> Section::string(std::string_view text) {
  auto found = stringPlaces.find(text);
  if (found == stringPlaces.end()) {
    found = stringPlaces.emplace(std::string(text), uint32_t(strings.size())).first;
    strings += text;
  }
  return {found->second, uint32_t(text.size())};
}

uint32_t Section::constant(uint32_t kind, uint64_t bits) {
  hr_tpl_constant value = {kind, uint32_t(bits), uint32_t(bits >> 32)};
  auto [place, isNew] = constantPlaces.try_emplace({value.kind, value.a, value.b}, uint32_t(constants.size()));
  if (isNew)
    constants.push_back(value);
  return place->second;
}

uint32_t Section::stringConstant(std::string_view text) {
  auto [offset, size] = string(text);
  return constant(HR_TPL_STRING, uint64_t(size) << 32 | offset);
}

namespace {
#define HR_TPL_TEXT_OF(name) #name,
constexpr std::string_view functions[] = {"", HR_TPL_FUNCTIONS(HR_TPL_TEXT_OF)};
constexpr std::string_view methods[] = {"", HR_TPL_METHODS(HR_TPL_TEXT_OF)};
#undef HR_TPL_TEXT_OF

template <size_t N> uint32_t indexOf(const std::string_view (&list)[N], std::string_view text) {
  for (uint32_t i = 1; i < N; ++i)
    if (list[i] == text)
      return i;
  return 0;
}
} // namespace

uint32_t Section::name(std::string_view text) {
  auto found = namePlaces.find(text);
  if (found != namePlaces.end())
    return found->second;
  auto [offset, size] = string(text);
  names.push_back({offset, size, indexOf(functions, text), indexOf(methods, text)});
  return namePlaces.emplace(std::string(text), uint32_t(names.size() - 1)).first->second;
}

std::string_view Section::nameText(uint32_t name) const {
  return std::string_view(strings).substr(names[name].text, names[name].bytes);
}

uint32_t Section::shortString(std::string_view text) {
  auto [offset, size] = string(text);
  return offset << 8 | size;
}

namespace {
template <typename T> void append(std::vector<uint8_t> &out, hr_tpl_span &span, const T *elements, size_t count) {
  out.resize((out.size() + 3) / 4 * 4);
  span = {uint32_t(out.size()), uint32_t(count)};
  out.resize(out.size() + count * sizeof(T));
  if (count)
    std::memcpy(out.data() + span.offset, elements, count * sizeof(T));
}
} // namespace

std::vector<uint8_t> Section::bytes() {
  hr_tpl_header header = {HR_TPL_MAGIC, HR_TPL_VERSION, 0, 0, {}};
  std::vector<uint8_t> out(sizeof header);
  auto part = [&](hr_tpl_part which, const auto &elements) {
    append(out, header.parts[which], elements.data(), elements.size());
  };
  part(HR_TPL_CODE, code);
  part(HR_TPL_LINES, lines);
  part(HR_TPL_CONSTANTS, constants);
  part(HR_TPL_NAMES, names);
  part(HR_TPL_MACROS, macros);
  part(HR_TPL_PARAMS, params);
  part(HR_TPL_DEFAULTS, defaults);
  part(HR_TPL_CASES, needsCases ? caseTable() : std::vector<hr_tpl_case>());
  part(HR_TPL_SPECIALS, needsCases ? specialTable(*this) : std::vector<hr_tpl_special>());
  part(HR_TPL_KINDS, needsCases ? kindTable() : std::vector<uint32_t>());
  part(HR_TPL_STRINGS, strings);
  out.resize((out.size() + 3) / 4 * 4);
  if (out.size() > HR_TPL_MAX_BYTES)
    return {};
  header.bytes = uint32_t(out.size());
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

} // namespace headrace::jinja
