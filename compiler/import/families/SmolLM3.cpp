// SmolLM3ForCausalLM: Llama with layers that are not rotated.
#include "compiler/import/families/Decoder.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

namespace headrace {

/// For each layer whether it is rotated: "no_rope_layers" says 1 for those that are, despite its name.
static Result<std::vector<bool>> readRotated(const FieldReader &config, int64_t layers) {
  int64_t interval = 4;
  HR_TRY(config.optionalInteger("no_rope_layer_interval", 1, 1 << 20, interval));
  std::vector<bool> rotated;
  const nlohmann::json *list = config.find("no_rope_layers");
  if (!list) {
    for (int64_t layer = 0; layer < layers; ++layer)
      rotated.push_back((layer + 1) % interval != 0);
    return rotated;
  }
  std::string expected = "0 or 1 for each of " + std::to_string(layers) + " layers";
  if (!list->is_array() || int64_t(list->size()) != layers)
    return expectedFound(config.place("no_rope_layers"), expected,
                         list->is_array() ? "a list of " + std::to_string(list->size()) : jsonKindText(*list));
  for (const nlohmann::json &entry : *list) {
    if (entry != 0 && entry != 1)
      return expectedFound(config.place("no_rope_layers"), expected, jsonKindText(entry));
    rotated.push_back(entry == 1);
  }
  return rotated;
}

Result<void> fillSmolLM3(const FamilyInput &input, ModelSpec &spec) {
  Decoder decoder(input, spec);
  DimensionFields names;
  names.maxPositionsDefault = 32768;
  decoder.tied = true;
  HR_TRY(decoder.readCommon(names));
  HR_TRY(decoder.readBiases());
  Result<std::vector<bool>> rotated = readRotated(input.config, decoder.dims.layers);
  if (!rotated)
    return rotated.error();
  bool useWindow = false;
  int64_t window = 0;
  HR_TRY(input.config.optionalBool("use_sliding_window", useWindow));
  HR_TRY(readWindow(input.config, window));
  Result<std::vector<bool>> sliding = readSlidingLayers(
      input.config, decoder.dims.layers, [&](int64_t layer) { return window != 0 && !(*rotated)[size_t(layer)]; });
  if (!sliding)
    return sliding.error();
  RopeDefaults defaults;
  defaults.theta = 2e6;
  HR_TRY(decoder.readRope(defaults));
  decoder.fill([&](int64_t layer) {
    BlockSpec block = decoder.block(layer);
    block.attention.rope = (*rotated)[size_t(layer)] ? 0 : -1;
    block.attention.window = useWindow && (*sliding)[size_t(layer)] ? window : 0;
    return block;
  });
  return {};
}

} // namespace headrace
