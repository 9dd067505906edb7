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

/// The taps of the entry that a step of one token runs: the smallest body, or the smallest head.
std::vector<uint32_t> tapsOfOneToken(const hr_library &library, uint32_t kind) {
  uint32_t entry = 0;
  while (entry < library.entry_count && library.entries[entry].kind != kind)
    ++entry;
  std::vector<uint32_t> taps;
  for (uint32_t tap = 0; tap < library.tap_count; ++tap)
    if (library.taps[tap].entry == entry)
      taps.push_back(tap);
  return taps;
}

/// Reads a bundle's values token by token.
class Recorder {
public:
  Recorder(OpenBundle &bundle) : bundle(bundle), library(bundle.library()) {
    recording.vocab = library.vocab_size;
    for (uint32_t kind : {HR_ENTRY_BODY, HR_ENTRY_HEAD})
      for (uint32_t tap : tapsOfOneToken(library, kind)) {
        (kind == HR_ENTRY_BODY ? bodyTaps : headTaps).push_back(tap);
        recording.values.push_back({library.taps[tap].name, library.taps[tap].cols, {}});
      }
  }

  /// The token is appended twice, first without a head: a head reuses the memory of the body's values.
  hr_status add(int32_t id) {
    const hr_api &api = bundle.api();
    hr_session *session = bundle.session();
    hr_status status = HR_OK;
    if (!bodyTaps.empty()) {
      status = api.append(session, &id, 1, HR_NO_ROWS, nullptr, nullptr);
      if (status == HR_OK) {
        read(bodyTaps, 0);
        status = api.session_rewind(session, api.session_length(session) - 1);
      }
    }
    if (status == HR_OK)
      status = api.append(session, &id, 1, HR_LAST_ROW, nullptr, nullptr);
    if (status != HR_OK)
      return status;
    ++recording.tokens;
    const float *logits = api.logits(session);
    recording.logits.insert(recording.logits.end(), logits, logits + library.vocab_size);
    read(headTaps, bodyTaps.size());
    return HR_OK;
  }

  Recording recording;

private:
  void read(const std::vector<uint32_t> &taps, size_t first) {
    for (size_t i = 0; i != taps.size(); ++i) {
      const float *row = bundle.api().tap_data(bundle.session(), taps[i]);
      RecordedValue &value = recording.values[first + i];
      value.rows.insert(value.rows.end(), row, row + value.columns);
    }
  }

  OpenBundle &bundle;
  const hr_library &library;
  std::vector<uint32_t> bodyTaps, headTaps;
};

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
  Recorder recorder(**opened);
  for (int32_t id : ids)
    if (hr_status status = recorder.add(id); status != HR_OK)
      return (*opened)->statusError(status);
  return std::move(recorder.recording);
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
