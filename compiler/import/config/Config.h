// Config.h - what most families read of config.json: sizes, activation, rotary positions, special ids.
//
// A field's name and default are the family's. Every field of the file is asked for by the family, or checkOtherFields
// says what becomes of it.
#ifndef HEADRACE_IMPORT_CONFIG_H
#define HEADRACE_IMPORT_CONFIG_H

#include "compiler/import/config/FieldReader.h"
#include "compiler/import/spec/ModelSpec.h"

#include <functional>
#include <string_view>

namespace headrace {

/// The text of config.json or generation_config.json as a JSON object.
Result<nlohmann::json> parseConfigObject(std::string_view text, const char *file);

struct Dimensions {
  int64_t vocab = 0, hidden = 0, feedForward = 0, layers = 0, heads = 0, kvHeads = 0, headDim = 0, maxPositions = 0;
  int64_t queries() const { return heads * headDim; }
  int64_t keys() const { return kvHeads * headDim; }
};

/// How a family spells its sizes; nullptr: it has no such field. The defaults count where a field is absent; a default
/// of 0 means that it must be there, or follows from the others (kvHeads, headDim).
struct DimensionFields {
  const char *vocab = "vocab_size", *hidden = "hidden_size", *feedForward = "intermediate_size",
             *layers = "num_hidden_layers", *heads = "num_attention_heads", *kvHeads = "num_key_value_heads",
             *headDim = "head_dim", *maxPositions = "max_position_embeddings";
  int64_t maxPositionsDefault = 2048;
  int64_t headDimDefault = 0;
  int64_t feedForwardPerHidden = 0; // absent or null: hidden times this
};

Result<Dimensions> readDimensions(const FieldReader &fields, const DimensionFields &names = {});

/// Leaves `activation` as it is when the field is absent.
Result<void> readActivation(const FieldReader &fields, const char *name, HiddenActivation &activation);

/// A field that, where it is there, says what the family does anyway; another value is refused.
Result<void> expectValue(const FieldReader &fields, const char *name, const nlohmann::json &value);

/// What a family's rotary positions are when config.json does not say.
struct RopeDefaults {
  double theta = 10000.0;
  double partial = 1.0;
  const char *thetaField = "rope_theta";
  const char *partialField = nullptr; // of families that rotate a part of each head; the others refuse one
  int64_t originalPositions = 0;      // of longrope, where the family has a field for them outside; 0: it has none
  bool onlyLongRope = false;          // no rope type but default and longrope, also by its older names "su" and "yarn"
};

/// Rotary positions in both spellings:
///   old   "rope_theta": 10000.0, "rope_scaling": {"type" or "rope_type": "linear", "factor": 2.0}
///   new   "rope_parameters": {"rope_theta": 10000.0, "rope_type": "linear", "factor": 2.0}
Result<RopeSpec> readRope(const FieldReader &fields, const Dimensions &dims, const RopeDefaults &defaults = {});

/// Two kinds of layers with rotary positions of their own: rope_parameters holds an object for each kind, or the old
/// fields say the same ("rope_theta" and "rope_scaling" for full attention, "rope_local_base_freq" for sliding).
struct LayerRopes {
  RopeSpec full, sliding;
};
Result<LayerRopes> readLayerRopes(const FieldReader &fields, const Dimensions &dims, double fullTheta,
                                  double slidingTheta);

/// "sliding_window": an absent one is what `window` holds, null is none (0).
Result<void> readWindow(const FieldReader &fields, int64_t &window);

/// For each layer whether it attends to a window only: "layer_types", or `otherwise(layer)` when it is absent.
Result<std::vector<bool>> readSlidingLayers(const FieldReader &fields, int64_t layers,
                                            const std::function<bool(int64_t)> &otherwise);

/// bos_token_id and eos_token_id; the latter from generation_config.json if it names any, else from config.json.
Result<void> readSpecialIds(const FieldReader &config, const FieldReader *generation, ModelSpec &spec);

/// The fields that nobody asked for: each is harmless, or an error, or a warning.
Result<void> checkOtherFields(const nlohmann::json &config, const FieldReader &fields,
                              std::vector<std::string> &warnings);

} // namespace headrace
#endif
