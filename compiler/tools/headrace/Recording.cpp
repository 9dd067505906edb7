#include "compiler/tools/headrace/Recording.h"

#include "compiler/tools/headrace/Bundle.h"

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
        taps.push_back(tap);
        recording.values.push_back({library.taps[tap].name, library.taps[tap].cols, {}});
      }
  }

  hr_status add(int32_t id) {
    hr_status status = bundle.api().append(bundle.session(), &id, 1, HR_LAST_ROW, nullptr, nullptr);
    if (status != HR_OK)
      return status;
    ++recording.tokens;
    const float *logits = bundle.api().logits(bundle.session());
    recording.logits.insert(recording.logits.end(), logits, logits + library.vocab_size);
    for (size_t i = 0; i != taps.size(); ++i) {
      const float *row = bundle.api().tap_data(bundle.session(), taps[i]);
      RecordedValue &value = recording.values[i];
      value.rows.insert(value.rows.end(), row, row + value.columns);
    }
    return HR_OK;
  }

  Recording recording;

private:
  OpenBundle &bundle;
  const hr_library &library;
  std::vector<uint32_t> taps;
};

} // namespace

Result<Recording> recordBundle(const std::string &folder, const std::vector<int32_t> &ids) {
  RunOptions options;
  options.chunk = 1;
  auto opened = OpenBundle::open(folder, options);
  if (!opened)
    return opened.error();
  HR_TRY((*opened)->expectKind(HR_MODEL_DECODER));
  Recorder recorder(**opened);
  for (int32_t id : ids)
    if (hr_status status = recorder.add(id); status != HR_OK)
      return (*opened)->statusError(status);
  return std::move(recorder.recording);
}

} // namespace headrace
