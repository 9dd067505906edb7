// A transformer in the model dialect, whatever its family.
#include "compiler/import/module/ImportModule.h"
#include "compiler/import/module/WeightSymbols.h"
#include "compiler/support/ErrorText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace headrace;

namespace {

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

/// Writes the ops of one model. A name such as "layers.0.attn.q" is the op's anchor and, where the op has one, its
/// weight's symbol; the checkpoint's name for the same place goes along in the location.
class ModuleWriter {
public:
  ModuleWriter(ModuleOp module, const ModelSpec &spec, int64_t positions)
      : module(module), spec(spec), builder(module.getContext()), weights(module), positions(positions) {}

  void describe();
  void writeBody();
  void writeHead();

private:
  func::FuncOp openFunction(StringRef name, ArrayRef<Type> inputs, Type result);
  Location at(const Twine &anchor, const Twine &checkpointName = {}) {
    return anchorLoc(builder.getContext(), anchor.str(), checkpointName.str());
  }
  RankedTensorType rows(int64_t cols) {
    return RankedTensorType::get({ShapedType::kDynamic, cols}, builder.getF32Type());
  }
  Value param(const Twine &symbol, const TensorExpr &value) { return param(weights.get(symbol.str(), value)); }
  /// A matrix, with the encoding that the spec may give it.
  Value param(const Twine &symbol, const LinearSpec &linear) { return param(weights.get(symbol.str(), linear)); }
  Value param(model::WeightOp weight) {
    return model::ParamOp::create(builder, at(weight.getSymName()), weight.getTensorType(), weight.getSymName());
  }
  Value embedding(Value tokens);
  Value norm(const Twine &name, const NormSpec &norm, Value x);
  Value headNorm(const Twine &name, const NormSpec &norm, Value x);
  Value linear(const Twine &name, const LinearSpec &linear, Value x);
  Value rope(const Twine &name, const AttentionSpec &attention, Value x);
  Value attention(const Twine &name, const AttentionSpec &attention, Value x);
  Value mlp(const Twine &name, const MlpSpec &mlp, Value x);
  /// The matrices of all experts of a kind, each padded to whole tiles.
  struct ExpertMatrices {
    Value weight;
    int64_t columns; ///< of a product with one
    std::string name;
  };
  ExpertMatrices expertMatrices(const Twine &symbol, const LinearSpec &linear, int64_t count);
  Value expertLinear(const Twine &name, const ExpertMatrices &matrices, Value route, int64_t slot, Value x,
                     bool weighted);
  Value experts(const Twine &name, const MlpSpec &mlp, Value x, Value sum);
  Value addMlp(const Twine &name, const MlpSpec &mlp, const NormSpec &postNorm, Value x, Value sum);
  Value block(const std::string &name, const BlockSpec &block, Value x);
  Value add(const Twine &name, Value a, Value b) { return model::AddOp::create(builder, at(name), a, b); }

  ModuleOp module;
  const ModelSpec &spec;
  OpBuilder builder;
  WeightSymbols weights;
  int64_t positions;
  Value pos;
};

void ModuleWriter::describe() {
  auto set = [&](StringRef name, int64_t value) {
    module->setAttr(name, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  set(model::kVocabAttr, spec.vocab);
  set(model::kHiddenAttr, spec.hidden);
  set(model::kContextAttr, positions);
  set(model::kMaxPositionsAttr, spec.maxPositions);
  set(model::kBosAttr, spec.bosId);
  module->setAttr(model::kEosAttr, builder.getDenseI32ArrayAttr(spec.eosIds));
  if (spec.kind != ModelKind::Encoder)
    return;
  module->setAttr(model::kKindAttr, builder.getStringAttr("encoder"));
  module->setAttr(model::kPoolingAttr, builder.getStringAttr(poolingName(spec.pooling)));
  module->setAttr(model::kNormalizeAttr, builder.getBoolAttr(spec.normalize));
}

//===-- parts
//---------------------------------------------------------------------------------------------------------------===//

Value ModuleWriter::norm(const Twine &name, const NormSpec &norm, Value x) {
  if (!norm)
    return x;
  Value weight = param(name, norm.weight), bias = norm.bias ? param(name + ".bias", norm.bias) : Value();
  Location location = at(name, norm.name);
  FloatAttr eps = builder.getF32FloatAttr(static_cast<float>(norm.eps));
  if (norm.kind == NormKind::RMS)
    return model::RMSNormOp::create(builder, location, x.getType(), x, weight, eps);
  return model::LayerNormOp::create(builder, location, x.getType(), x, weight, bias, eps);
}

/// A weight that all heads share is repeated.
Value ModuleWriter::headNorm(const Twine &name, const NormSpec &norm, Value x) {
  if (!norm)
    return x;
  int64_t columns = cast<RankedTensorType>(x.getType()).getDimSize(1);
  auto wide = [&](const TensorExpr &value) {
    return value.rows() == columns ? value : value.repeated(columns / value.rows());
  };
  Value weight = param(name, wide(norm.weight)), bias = norm.bias ? param(name + ".bias", wide(norm.bias)) : Value();
  auto kind = norm.kind == NormKind::RMS ? model::NormKind::rms : model::NormKind::layer;
  return model::HeadNormOp::create(builder, at(name, norm.name), x.getType(), kind, x, weight, bias,
                                   static_cast<uint64_t>(norm.span), llvm::APFloat(static_cast<float>(norm.eps)));
}

Value ModuleWriter::linear(const Twine &name, const LinearSpec &linear, Value x) {
  Value weight = param(name, linear), bias = linear.bias ? param(name + ".bias", linear.bias) : Value();
  return model::LinearOp::create(builder, at(name, linear.name), rows(linear.weight.rows()), x, weight, bias);
}

Value ModuleWriter::rope(const Twine &name, const AttentionSpec &attention, Value x) {
  if (attention.rope < 0)
    return x;
  const RopeSpec &rope = spec.ropes[static_cast<size_t>(attention.rope)];
  std::string symbol = attention.rope == 0 ? "rope.table" : "rope.table." + std::to_string(attention.rope);
  Value table = param(weights.ropeTable(symbol, rope, positions));
  return model::RopeOp::create(builder, at(name), x.getType(), x, table, pos, attention.headDim, rope.rotaryDim);
}

Value ModuleWriter::attention(const Twine &name, const AttentionSpec &attention, Value x) {
  Value q = linear(name + ".q", attention.q, x), k = linear(name + ".k", attention.k, x),
        v = linear(name + ".v", attention.v, x);
  q = rope(name + ".q.rope", attention, headNorm(name + ".q.norm", attention.qNorm, q));
  k = rope(name + ".k.rope", attention, headNorm(name + ".k.norm", attention.kNorm, k));
  int64_t window = attention.window < positions ? attention.window : 0; // a wider one hides nothing
  Value mixed = model::AttentionOp::create(
      builder, at(name + ".attend", attention.name), q.getType(), q, k, v, pos, static_cast<uint64_t>(attention.heads),
      static_cast<uint64_t>(attention.kvHeads), static_cast<uint64_t>(attention.headDim),
      llvm::APFloat(static_cast<float>(attention.scale)), static_cast<uint64_t>(window),
      llvm::APFloat(static_cast<float>(attention.softcap)), spec.kind == ModelKind::Decoder);
  return linear(name + ".o", attention.o, mixed);
}

Value ModuleWriter::mlp(const Twine &name, const MlpSpec &mlp, Value x) {
  bool gated = bool(mlp.gate.weight);
  Value inner = gated ? linear(name + ".gate", mlp.gate, x) : linear(name + ".up", mlp.up, x);
  Value up = gated ? linear(name + ".up", mlp.up, x) : Value();
  inner = model::ActivationOp::create(builder, at(name + ".act"), inner.getType(), activationOf(mlp.activation), inner);
  if (gated)
    inner = model::MulOp::create(builder, at(name + ".mul"), inner, up);
  return linear(name + ".down", mlp.down, inner);
}

/// The experts' matrices, one below the other, each padded to whole tiles.
static TensorExpr tiledExperts(const TensorExpr &weight, int64_t count) {
  int64_t rows = weight.rows() / count, padding = model::kGateTile - 1 - (rows - 1) % model::kGateTile;
  if (padding == 0)
    return weight;
  std::vector<TensorExpr> parts;
  for (int64_t expert = 0; expert < count; ++expert) {
    parts.push_back(weight.slice(expert * rows, rows));
    parts.push_back(TensorExpr::zeros({padding, weight.shape()[1]}));
  }
  return TensorExpr::concat(std::move(parts));
}

ModuleWriter::ExpertMatrices ModuleWriter::expertMatrices(const Twine &symbol, const LinearSpec &linear,
                                                          int64_t count) {
  LinearSpec tiled = linear;
  tiled.weight = tiledExperts(linear.weight, count);
  return {param(symbol, tiled), linear.weight.rows() / count, linear.name};
}

/// The product with the expert that is choice `slot` of each row.
Value ModuleWriter::expertLinear(const Twine &name, const ExpertMatrices &matrices, Value route, int64_t slot, Value x,
                                 bool weighted) {
  return model::LinearOp::create(builder, at(name, matrices.name), rows(matrices.columns), x, matrices.weight, Value(),
                                 Value(), route, model::Activation::none, false, llvm::APFloat(0.0f),
                                 static_cast<uint64_t>(slot), weighted);
}

/// A mixture of experts, choice by choice, added to `sum` where there is one.
Value ModuleWriter::experts(const Twine &name, const MlpSpec &mlp, Value x, Value sum) {
  const ExpertsSpec &spec = mlp.experts;
  Value scores = linear(name + ".router", spec.router, x);
  Value route = model::RouteOp::create(builder, at(name + ".route"), rows(2 * spec.top), scores,
                                       static_cast<uint64_t>(spec.top), spec.normalise);
  ExpertMatrices gates = expertMatrices(name + ".gate", mlp.gate, spec.count);
  ExpertMatrices ups = expertMatrices(name + ".up", mlp.up, spec.count);
  ExpertMatrices downs = expertMatrices(name + ".down", mlp.down, spec.count);
  for (int64_t slot = 0; slot < spec.top; ++slot) {
    std::string anchor = (name + ".choice" + Twine(slot)).str();
    Value gate = expertLinear(anchor + ".gate", gates, route, slot, x, false);
    Value up = expertLinear(anchor + ".up", ups, route, slot, x, false);
    gate =
        model::ActivationOp::create(builder, at(anchor + ".act"), gate.getType(), activationOf(mlp.activation), gate);
    Value inner = model::MulOp::create(builder, at(anchor + ".mul"), gate, up);
    Value down = expertLinear(anchor + ".down", downs, route, slot, inner, true);
    sum = sum ? add((slot + 1 == spec.top ? name : anchor) + ".out", sum, down) : down;
  }
  return sum;
}

/// sum + postNorm(MLP(x))
Value ModuleWriter::addMlp(const Twine &name, const MlpSpec &mlp, const NormSpec &postNorm, Value x, Value sum) {
  bool mixed = mlp.experts.count != 0;
  if (mixed && !postNorm)
    return experts(name, mlp, x, sum);
  Value made = mixed ? experts(name, mlp, x, Value()) : this->mlp(name, mlp, x);
  return add(name + ".out", sum, norm(name + ".post_norm", postNorm, made));
}

/// See BlockSpec for the three orders.
Value ModuleWriter::block(const std::string &name, const BlockSpec &block, Value x) {
  std::string attn = name + "attn", ffn = name + "mlp";
  if (block.order == BlockSpec::Order::NormSum) {
    Value sum = add(attn + ".out", x, attention(attn, block.attention, x));
    x = norm(attn + ".post_norm", block.attnPostNorm, sum);
    sum = addMlp(ffn, block.mlp, NormSpec(), x, x);
    return norm(ffn + ".post_norm", block.mlpPostNorm, sum);
  }
  Value n = norm(attn + ".norm", block.attnNorm, x);
  Value a = norm(attn + ".post_norm", block.attnPostNorm, attention(attn, block.attention, n));
  Value sum = add(attn + ".out", x, a);
  bool parallel = block.order == BlockSpec::Order::Parallel;
  Value m = parallel && !block.mlpNorm ? n : norm(ffn + ".norm", block.mlpNorm, parallel ? x : sum);
  return addMlp(ffn, block.mlp, block.mlpPostNorm, m, sum);
}

//===-- functions
//-----------------------------------------------------------------------------------------------------------===//

func::FuncOp ModuleWriter::openFunction(StringRef name, ArrayRef<Type> inputs, Type result) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, at(name), name, builder.getFunctionType(inputs, result));
  function->setAttr(model::kEntryAttr, builder.getStringAttr(name));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value ModuleWriter::embedding(Value tokens) {
  Value table = param("embed", spec.embedding), learned;
  if (spec.positions)
    learned = param("embed.positions",
                    spec.positions.rows() == positions ? spec.positions : spec.positions.slice(0, positions));
  Value x = model::EmbedOp::create(builder, at("embed", spec.embedding.name), rows(spec.hidden), tokens, table, learned,
                                   learned ? pos : Value(), llvm::APFloat(static_cast<float>(spec.embedScale)));
  return norm("embed.norm", spec.embedNorm, x);
}

void ModuleWriter::writeBody() {
  auto tokens = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  func::FuncOp body = openFunction("body", {tokens, builder.getI32Type()}, rows(spec.hidden));
  pos = body.getArgument(1);
  Value x = embedding(body.getArgument(0));
  for (auto [layer, made] : llvm::enumerate(spec.blocks))
    x = block("layers." + std::to_string(layer) + ".", made, x);
  if (spec.kind == ModelKind::Encoder)
    x = norm("norm", spec.finalNorm, x);
  func::ReturnOp::create(builder, at("body"), x);
}

void ModuleWriter::writeHead() {
  func::FuncOp head = openFunction("head", {rows(spec.hidden)}, rows(spec.vocab));
  Value n = norm("norm", spec.finalNorm, head.getArgument(0));
  if (spec.headProjection.weight)
    n = linear("head.project", spec.headProjection, n);
  bool tied = !spec.head.weight;
  Value weight = param(tied ? "embed" : "lm_head", tied ? spec.embedding : spec.head);
  Value bias = spec.head.bias ? param("lm_head.bias", spec.head.bias) : Value();
  Value logits = model::LinearOp::create(builder, at("head", spec.head.name), rows(spec.vocab), n, weight, bias);
  if (spec.finalSoftcap != 0)
    logits = model::SoftcapOp::create(builder, at("head.cap"), logits.getType(), logits,
                                      llvm::APFloat(static_cast<float>(spec.finalSoftcap)));
  func::ReturnOp::create(builder, at("head"), logits);
}

Result<int64_t> positionsFor(const ModelSpec &spec, int64_t asked) {
  int64_t computed = spec.computedPositions ? spec.computedPositions : spec.maxPositions;
  if (asked == 0)
    return std::min({computed, kDefaultContext, spec.textPositions ? spec.textPositions : computed});
  if (asked > computed && asked <= spec.maxPositions)
    return expectedFound("context",
                         "1 to " + std::to_string(computed) +
                             ", as rotary positions of type longrope are others in longer contexts",
                         std::to_string(asked));
  if (asked < 1 || asked > spec.maxPositions)
    return expectedFound("context", "1 to " + std::to_string(spec.maxPositions) + " (" + spec.maxPositionsField + ")",
                         std::to_string(asked));
  return asked;
}

} // namespace

Result<OwningOpRef<ModuleOp>> headrace::importModel(MLIRContext &context, const ModelSpec &spec,
                                                    const ImportOptions &options) {
  Result<int64_t> positions = positionsFor(spec, options.context);
  if (!positions)
    return positions.error();
  std::string name = options.name.empty() ? fileNameOf(spec.folder) : options.name;
  OwningOpRef<ModuleOp> module = ModuleOp::create(anchorLoc(&context, name), name);
  ModuleWriter writer(*module, spec, *positions);
  writer.describe();
  writer.writeBody();
  if (spec.kind == ModelKind::Decoder)
    writer.writeHead();
  return module;
}
