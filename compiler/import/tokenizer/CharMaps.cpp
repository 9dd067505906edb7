#include "compiler/import/tokenizer/CharMaps.h"
#include "compiler/import/tokenizer/CodeSet.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

namespace headrace::tokenizer {

namespace {

/// What becomes of one code point.
struct Mapped {
  uint32_t code = 0;
  bool dropped = false;
  uint32_t before = 0, after = 0; // 0: nothing
};

enum Kind { Clean, Fold = 4, Lower = 8, Marks, Nmt }; // Clean and Fold: and two options

/// What `make` gives, made once for each kind.
std::vector<hr_tok_map> once(int kind, const std::function<std::vector<hr_tok_map>()> &make) {
  static std::mutex mutex;
  static std::map<int, std::vector<hr_tok_map>> made;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = made.find(kind);
  return found != made.end() ? found->second : made[kind] = make();
}

/// Rows for all code points that `change` changes.
std::vector<hr_tok_map> rowsOf(const std::function<void(Mapped &)> &change) {
  std::vector<hr_tok_map> rows;
  for (uint32_t code = 0; code < codeLimit; code++) {
    if (code >= 0xd800 && code < 0xe000)
      continue;
    Mapped mapped;
    mapped.code = code;
    change(mapped);
    int32_t delta = mapped.dropped ? HR_TOK_MAP_DROP : int32_t(mapped.code) - int32_t(code);
    if (!delta && !mapped.before && !mapped.after)
      continue;
    hr_tok_map *last = rows.empty() ? nullptr : &rows.back();
    bool same = last && last->delta == delta && last->before == mapped.before && last->after == mapped.after;
    uint32_t step = same ? code - last->last : 0;
    if (same && (last->first == last->last ? step <= 2 : step == last->step)) {
      last->step = step;
      last->last = code;
    } else
      rows.push_back({code, code, 1, delta, mapped.before, mapped.after});
  }
  return rows;
}

bool isIdeograph(uint32_t code) {
  static constexpr std::pair<uint32_t, uint32_t> blocks[] = {{0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
                                                             {0x20000, 0x2a6df}, {0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf},
                                                             {0x2f800, 0x2fa1f}};
  for (auto [first, last] : blocks)
    if (code >= first && code <= last)
      return true;
  return false;
}

void toLower(Mapped &mapped) {
  if (mapped.code == 0x130) { // the one letter that becomes two
    mapped.code = 'i';
    mapped.after = 0x307;
  } else {
    static const std::vector<uint32_t> small = smallLetters();
    mapped.code = small[mapped.code];
  }
}

uint32_t bytesOf(uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

} // namespace

static std::vector<hr_tok_map> makeCleaning(const BertOptions &options) {
  CodeSet space = whiteSpaceSet(), control = controlSet();
  return rowsOf([&](Mapped &mapped) {
    uint32_t code = mapped.code;
    if (options.cleanText && (code == 0 || code == 0xfffd || control.contains(code)))
      mapped.dropped = true;
    else if (options.cleanText && space.contains(code))
      mapped.code = ' ';
    else if (options.chineseCharacters && isIdeograph(code))
      mapped.before = mapped.after = ' ';
  });
}

std::vector<hr_tok_map> bertCleaning(const BertOptions &options) {
  return once(Clean + options.cleanText + 2 * options.chineseCharacters, [&] { return makeCleaning(options); });
}

static std::vector<hr_tok_map> makeFolding(const BertOptions &options) {
  CodeSet marks = nonspacingMarkSet();
  return rowsOf([&](Mapped &mapped) {
    mapped.dropped = options.stripAccents && marks.contains(mapped.code);
    if (options.lowercase)
      toLower(mapped);
  });
}

std::vector<hr_tok_map> bertFolding(const BertOptions &options) {
  return once(Fold + options.stripAccents + 2 * options.lowercase, [&] { return makeFolding(options); });
}

std::vector<hr_tok_map> lowercaseMap() {
  return once(Lower, [] { return rowsOf(toLower); });
}

std::vector<hr_tok_map> markRemoval() {
  return once(Marks, [] {
    CodeSet marks = markSet();
    return rowsOf([&](Mapped &mapped) { mapped.dropped = marks.contains(mapped.code); });
  });
}

static void nmt(Mapped &mapped) {
  uint32_t code = mapped.code;
  bool space = code == 0x9 || code == 0xa || code == 0xc || code == 0xd;
  mapped.dropped = (code >= 1 && code < 0x20 && !space) || code == 0x7f || code == 0x8f || code == 0x9f;
  if (space || code == 0x1680 || (code >= 0x200b && code <= 0x200f) || code == 0x2028 || code == 0x2029 ||
      code == 0x2581 || code == 0xfeff || code == 0xfffd)
    mapped.code = ' ';
}

std::vector<hr_tok_map> nmtMap() {
  return once(Nmt, [] { return rowsOf(nmt); });
}

uint32_t growthOf(const std::vector<hr_tok_map> &rows) {
  uint32_t most = 1;
  for (const hr_tok_map &row : rows)
    for (uint32_t code = row.first; code <= row.last && row.delta != HR_TOK_MAP_DROP; code += row.step) {
      uint32_t bytes = bytesOf(code + uint32_t(row.delta)) + (row.before ? bytesOf(row.before) : 0) +
                       (row.after ? bytesOf(row.after) : 0);
      most = std::max(most, (bytes + bytesOf(code) - 1) / bytesOf(code));
    }
  return most;
}

} // namespace headrace::tokenizer
