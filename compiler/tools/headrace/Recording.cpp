#include "compiler/tools/headrace/Recording.h"

#include "compiler/tools/headrace/Bundle.h"

#include <array>
#include <cmath>
#include <map>
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>

namespace headrace {
namespace {

/// The taps of the entries that a step of one token runs: the smallest body and the smallest head.
std::vector<uint32_t> tapsOfOneToken(const hr_library &library) {
  std::vector<uint32_t> taps;
  for (uint32_t kind : {HR_ENTRY_BODY, HR_ENTRY_HEAD}) {
    uint32_t entry = 0;
    while (entry < library.entry_count && library.entries[entry].kind != kind)
      ++entry;
    for (uint32_t tap = 0; tap < library.tap_count; ++tap)
      if (library.taps[tap].entry == entry)
        taps.push_back(tap);
  }
  return taps;
}

double norm(const std::vector<float> &values) {
  auto v = xt::cast<double>(xt::adapt(values));
  return std::sqrt(xt::sum(v * v)());
}

Difference difference(const std::string &name, const std::vector<float> &found, const std::vector<float> &reference) {
  auto delta = xt::cast<double>(xt::adapt(found)) - xt::cast<double>(xt::adapt(reference));
  double distance = std::sqrt(xt::sum(delta * delta)()), size = norm(reference);
  double relative = distance == 0 ? 0 : size == 0 ? HUGE_VAL : distance / size;
  return {name, relative, found.empty() ? 0 : xt::amax(xt::abs(delta))()};
}

} // namespace

Result<Recording> recordBundle(const std::string &folder, const std::vector<int32_t> &ids) {
  RunOptions options;
  options.chunk = 1;
  auto opened = OpenBundle::open(folder, options);
  if (!opened)
    return opened.error();
  OpenBundle &bundle = **opened;
  const hr_library &library = bundle.library();
  Recording recording;
  recording.tokens = ids.size();
  recording.vocab = library.vocab_size;
  std::vector<uint32_t> taps = tapsOfOneToken(library);
  for (uint32_t tap : taps)
    recording.values.push_back({library.taps[tap].name, library.taps[tap].cols, {}});
  for (int32_t id : ids) {
    hr_status status = bundle.api().append(bundle.session(), &id, 1, HR_LAST_ROW, nullptr, nullptr);
    if (status != HR_OK)
      return bundle.statusError(status);
    const float *logits = bundle.api().logits(bundle.session());
    recording.logits.insert(recording.logits.end(), logits, logits + library.vocab_size);
    for (size_t i = 0; i != taps.size(); ++i) {
      const float *row = bundle.api().tap_data(bundle.session(), taps[i]);
      RecordedValue &value = recording.values[i];
      value.rows.insert(value.rows.end(), row, row + value.columns);
    }
  }
  return recording;
}

std::vector<Difference> compareRecordings(const Recording &found, const Recording &reference) {
  std::map<std::string, const RecordedValue *> byName;
  for (const RecordedValue &value : reference.values)
    byName[value.name] = &value;
  std::vector<Difference> differences;
  for (const RecordedValue &value : found.values) {
    auto other = byName.find(value.name);
    if (other != byName.end() && other->second->rows.size() == value.rows.size())
      differences.push_back(difference(value.name, value.rows, other->second->rows));
  }
  differences.push_back(difference("logits", found.logits, reference.logits));
  return differences;
}

size_t sameChoices(const Recording &found, const Recording &reference) {
  auto choices = [](const Recording &r) {
    xt::xtensor<float, 2> logits = xt::adapt(r.logits, std::array<size_t, 2>{r.tokens, r.vocab});
    return xt::xtensor<size_t, 1>(xt::argmax(logits, 1));
  };
  return static_cast<size_t>(xt::sum(xt::cast<int>(xt::equal(choices(found), choices(reference))))());
}

} // namespace headrace
