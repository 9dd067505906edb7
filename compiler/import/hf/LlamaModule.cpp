// The forward pass of a LlamaForCausalLM in the model dialect.
#include "compiler/import/hf/HFImport.h"
#include "compiler/import/hf/WeightSymbols.h"
#include "compiler/support/ErrorText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>

using namespace mlir;
using namespace headrace;

namespace {

/// Writes the ops of one function. A name such as "layers.0.attn.q" is the op's anchor and, where the op has one, its
/// weight's symbol; the checkpoint's name for the same place goes along in the location.
class LlamaModule {
public:
  LlamaModule(ModuleOp module, const LlamaFolder &folder, int64_t positions)
      : module(module), config(folder.config), builder(module.getContext()), weights(module, folder.checkpoint),
        positions(positions) {}

  void describe();
  void makeWeights();
  void makeBody();
  void makeHead();

private:
  struct Linear {
    StringRef name, checkpointName;
    bool bias;
  };
  SmallVector<Linear> linearsOfLayer() const;
  func::FuncOp openFunction(StringRef name, ArrayRef<Type> inputs, Type result);
  Location at(const Twine &anchor, const Twine &checkpointName = {});
  RankedTensorType rows(int64_t cols) {
    return RankedTensorType::get({ShapedType::kDynamic, cols}, builder.getF32Type());
  }
  Value param(const Twine &symbol);
  Value norm(const Twine &name, const Twine &checkpointName, Value x);
  Value linear(const Twine &prefix, const Twine &checkpointPrefix, const Linear &which, Value x);
  Value rope(const Twine &name, Value x);
  Value attention(const Twine &prefix, const Twine &checkpointPrefix, Value x);
  Value mlp(const Twine &prefix, const Twine &checkpointPrefix, Value x);
  Value add(const Twine &name, Value a, Value b) { return model::AddOp::create(builder, at(name), a, b); }

  ModuleOp module;
  const LlamaConfig &config;
  OpBuilder builder;
  WeightSymbols weights;
  int64_t positions;
  Value pos;
};

/// The linear layers of a block, in the order in which they run.
enum { Q, K, V, O, Gate, Up, Down };

SmallVector<LlamaModule::Linear> LlamaModule::linearsOfLayer() const {
  bool attention = config.attentionBias, mlp = config.mlpBias;
  return {{"attn.q", "self_attn.q_proj", attention}, {"attn.k", "self_attn.k_proj", attention},
          {"attn.v", "self_attn.v_proj", attention}, {"attn.o", "self_attn.o_proj", attention},
          {"mlp.gate", "mlp.gate_proj", mlp},        {"mlp.up", "mlp.up_proj", mlp},
          {"mlp.down", "mlp.down_proj", mlp}};
}

model::Activation activationOf(headrace::HiddenActivation kind) {
  switch (kind) {
  case headrace::HiddenActivation::Silu:
    return model::Activation::silu;
  case headrace::HiddenActivation::Gelu:
    return model::Activation::gelu;
  case headrace::HiddenActivation::GeluTanh:
    return model::Activation::gelu_tanh;
  case headrace::HiddenActivation::Relu:
    return model::Activation::relu;
  }
  return model::Activation::none;
}

//===-- the module's facts and weights
//--------------------------------------------------------------------------------------===//

void LlamaModule::describe() {
  auto set = [&](StringRef name, int64_t value) {
    module->setAttr(name, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  set(model::kVocabAttr, config.vocabSize);
  set(model::kHiddenAttr, config.hiddenSize);
  set(model::kContextAttr, positions);
  set(model::kMaxPositionsAttr, config.maxPositions);
  set(model::kBosAttr, config.bosId);
  module->setAttr(model::kEosAttr, builder.getDenseI32ArrayAttr(config.eosIds));
}

void LlamaModule::makeWeights() {
  weights.fromTensor("embed", "model.embed_tokens.weight");
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::string prefix = "layers." + std::to_string(layer) + ".", theirs = "model." + prefix;
    auto linearWeights = [&](int first, int last) {
      SmallVector<Linear> linears = linearsOfLayer();
      for (int i = first; i <= last; ++i) {
        weights.fromTensor(prefix + linears[i].name.str(), theirs + linears[i].checkpointName.str() + ".weight");
        if (linears[i].bias)
          weights.fromTensor(prefix + linears[i].name.str() + ".bias",
                             theirs + linears[i].checkpointName.str() + ".bias");
      }
    };
    weights.fromTensor(prefix + "attn.norm", theirs + "input_layernorm.weight");
    linearWeights(Q, O);
    weights.fromTensor(prefix + "mlp.norm", theirs + "post_attention_layernorm.weight");
    linearWeights(Gate, Down);
  }
  weights.fromTensor("norm", "model.norm.weight");
  if (!config.tieWordEmbeddings)
    weights.fromTensor("lm_head", "lm_head.weight");
  weights.ropeTable("rope.table", config.rope, positions);
}

//===-- ops
//-----------------------------------------------------------------------------------------------------------------===//

Location LlamaModule::at(const Twine &anchor, const Twine &checkpointName) {
  return anchorLoc(builder.getContext(), anchor.str(), checkpointName.str());
}

func::FuncOp LlamaModule::openFunction(StringRef name, ArrayRef<Type> inputs, Type result) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, at(name), name, builder.getFunctionType(inputs, result));
  function->setAttr(model::kEntryAttr, builder.getStringAttr(name));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value LlamaModule::param(const Twine &symbol) {
  auto weight = module.lookupSymbol<model::WeightOp>(symbol.str());
  return model::ParamOp::create(builder, at(symbol), weight.getTensorType(), weight.getSymName());
}

Value LlamaModule::norm(const Twine &name, const Twine &checkpointName, Value x) {
  Value weight = param(name);
  return model::RMSNormOp::create(builder, at(name, checkpointName), x.getType(), x, weight,
                                  builder.getF32FloatAttr(static_cast<float>(config.rmsNormEps)));
}

Value LlamaModule::linear(const Twine &prefix, const Twine &checkpointPrefix, const Linear &which, Value x) {
  std::string name = (prefix + which.name).str();
  Value weight = param(name);
  Value bias = which.bias ? param(name + ".bias") : Value();
  int64_t outputs = cast<RankedTensorType>(weight.getType()).getDimSize(0);
  return model::LinearOp::create(builder, at(name, checkpointPrefix + which.checkpointName), rows(outputs), x, weight,
                                 bias);
}

Value LlamaModule::rope(const Twine &name, Value x) {
  Value table = param("rope.table");
  return model::RopeOp::create(builder, at(name), x.getType(), x, table, pos, config.headDim, config.rope.rotaryDim);
}

Value LlamaModule::attention(const Twine &prefix, const Twine &checkpointPrefix, Value x) {
  SmallVector<Linear> linears = linearsOfLayer();
  Value n = norm(prefix + "attn.norm", checkpointPrefix + "input_layernorm", x);
  Value q = linear(prefix, checkpointPrefix, linears[Q], n);
  Value k = linear(prefix, checkpointPrefix, linears[K], n);
  Value v = linear(prefix, checkpointPrefix, linears[V], n);
  q = rope(prefix + "attn.q.rope", q);
  k = rope(prefix + "attn.k.rope", k);
  auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(config.headDim)));
  Value a =
      model::AttentionOp::create(builder, at(prefix + "attn.attend", checkpointPrefix + "self_attn"), q.getType(), q, k,
                                 v, pos, static_cast<uint64_t>(config.heads), static_cast<uint64_t>(config.kvHeads),
                                 static_cast<uint64_t>(config.headDim), llvm::APFloat(scale));
  return linear(prefix, checkpointPrefix, linears[O], a);
}

Value LlamaModule::mlp(const Twine &prefix, const Twine &checkpointPrefix, Value x) {
  SmallVector<Linear> linears = linearsOfLayer();
  Value n = norm(prefix + "mlp.norm", checkpointPrefix + "post_attention_layernorm", x);
  Value gate = linear(prefix, checkpointPrefix, linears[Gate], n);
  Value up = linear(prefix, checkpointPrefix, linears[Up], n);
  Value act = model::ActivationOp::create(builder, at(prefix + "mlp.act", checkpointPrefix + "mlp.act_fn"),
                                          gate.getType(), activationOf(config.activation), gate);
  Value product = model::MulOp::create(builder, at(prefix + "mlp.mul"), act, up);
  return linear(prefix, checkpointPrefix, linears[Down], product);
}

//===-- functions
//-----------------------------------------------------------------------------------------------------------===//

void LlamaModule::makeBody() {
  auto tokens = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  func::FuncOp body = openFunction("body", {tokens, builder.getI32Type()}, rows(config.hiddenSize));
  pos = body.getArgument(1);
  Value table = param("embed");
  Value x = model::EmbedOp::create(builder, at("embed", "model.embed_tokens"), rows(config.hiddenSize),
                                   body.getArgument(0), table);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::string prefix = "layers." + std::to_string(layer) + ".", theirs = "model." + prefix;
    x = add(prefix + "attn.out", x, attention(prefix, theirs, x));
    x = add(prefix + "mlp.out", x, mlp(prefix, theirs, x));
  }
  func::ReturnOp::create(builder, at("body"), x);
}

void LlamaModule::makeHead() {
  func::FuncOp head = openFunction("head", {rows(config.hiddenSize)}, rows(config.vocabSize));
  Value n = norm("norm", "model.norm", head.getArgument(0));
  Value weight = param(config.tieWordEmbeddings ? "embed" : "lm_head");
  Value logits = model::LinearOp::create(builder, at("head", "lm_head"), rows(config.vocabSize), n, weight);
  func::ReturnOp::create(builder, at("head"), logits);
}

Result<int64_t> positionsFor(const LlamaConfig &config, int64_t asked) {
  if (asked == 0)
    return std::min(config.maxPositions, kDefaultContext);
  if (asked < 1 || asked > config.maxPositions)
    return expectedFound("context", "1 to " + std::to_string(config.maxPositions) + " (max_position_embeddings)",
                         std::to_string(asked));
  return asked;
}

} // namespace

Result<OwningOpRef<ModuleOp>> headrace::importLlama(MLIRContext &context, const LlamaFolder &folder,
                                                    const HFImportOptions &options) {
  Result<int64_t> positions = positionsFor(folder.config, options.context);
  if (!positions)
    return positions.error();
  std::string name = options.name.empty() ? fileNameOf(folder.checkpoint.folder()) : options.name;
  OwningOpRef<ModuleOp> module = ModuleOp::create(anchorLoc(&context, name), name);
  LlamaModule made(*module, folder, *positions);
  made.describe();
  made.makeWeights();
  made.makeBody();
  made.makeHead();
  return module;
}
