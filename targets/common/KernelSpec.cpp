#include "targets/common/KernelSpec.h"
#include "dialects/tile/KernelFamilies.h"
#include <optional>

using namespace mlir;

namespace headrace {
namespace {

constexpr llvm::StringLiteral familyNames[] = {"embed",       "norm",   "quantize", "gemv", "gemm",
                                               "rope_append", "attend", "add",      "route"};
constexpr llvm::StringLiteral encodingNames[] = {"f32", "f16", "w8", "w4", "w4a", "w4z", "a8"};
constexpr llvm::StringLiteral activationNames[] = {"none", "silu", "relu", "tanh", "gelu", "gelu_tanh"};
constexpr llvm::StringLiteral normNames[] = {"none", "rms", "layer"};

template <typename Enum, size_t N>
std::optional<Enum> parseName(const llvm::StringLiteral (&names)[N], llvm::StringRef text) {
  for (size_t i = 0; i != N; ++i)
    if (names[i] == text)
      return Enum(i);
  return std::nullopt;
}

/// What the family has of the fields, from verified parameters.
void readFields(DictionaryAttr params, KernelSpec &spec) {
  auto integer = [&](llvm::StringRef key, int64_t &field) {
    if (params.contains(key))
      field = tile::intParam(params, key);
  };
  auto flag = [&](llvm::StringRef key, bool &field) {
    if (params.contains(key))
      field = tile::boolParam(params, key);
  };
  auto real = [&](llvm::StringRef key, float &field) {
    if (params.contains(key))
      field = tile::floatParam(params, key);
  };
  auto encoding = [&](llvm::StringRef key, Encoding &field) {
    if (params.contains(key))
      field = *parseName<Encoding>(encodingNames, tile::stringParam(params, key));
  };
  for (auto [key, field] :
       {std::pair("group", &spec.group), std::pair("n", &spec.n), std::pair("k", &spec.k),
        std::pair("cols", &spec.cols), std::pair("heads", &spec.heads), std::pair("kv_heads", &spec.kvHeads),
        std::pair("head_dim", &spec.headDim), std::pair("rotary", &spec.rotary), std::pair("context", &spec.context),
        std::pair("q_span", &spec.qSpan), std::pair("k_span", &spec.kSpan), std::pair("window", &spec.window),
        std::pair("experts", &spec.experts), std::pair("top", &spec.top)})
    integer(key, *field);
  for (auto [key, field] : {std::pair("enc", &spec.enc), std::pair("out", &spec.out), std::pair("k_type", &spec.kType),
                            std::pair("v_type", &spec.vType)})
    encoding(key, *field);
  for (auto [key, field] :
       {std::pair("bias", &spec.bias), std::pair("gated", &spec.gated), std::pair("residual", &spec.residual),
        std::pair("positions", &spec.positions), std::pair("qk_bias", &spec.qkBias), std::pair("causal", &spec.causal),
        std::pair("weighted", &spec.weighted), std::pair("normalise", &spec.normalise)})
    flag(key, *field);
  real("eps", spec.eps);
  real("scale", spec.scale);
  real("softcap", spec.softcap);
  for (auto [key, field] : {std::pair("kind", &spec.kind), std::pair("qk_norm", &spec.qkNorm)})
    if (params.contains(key))
      *field = *parseName<NormForm>(normNames, tile::stringParam(params, key));
  if (params.contains("act"))
    spec.act = *parseName<Activation>(activationNames, tile::stringParam(params, "act"));
}

} // namespace

llvm::StringRef stringify(Family family) { return familyNames[size_t(family)]; }
llvm::StringRef stringify(Encoding encoding) { return encodingNames[size_t(encoding)]; }
llvm::StringRef stringify(Activation activation) { return activationNames[size_t(activation)]; }
llvm::StringRef stringify(NormForm kind) { return normNames[size_t(kind)]; }

FailureOr<KernelSpec> KernelSpec::parse(llvm::StringRef name, llvm::StringRef family, DictionaryAttr params,
                                        unsigned device, llvm::function_ref<InFlightDiagnostic()> emitError) {
  const tile::Family *known = tile::lookupFamily(family);
  if (!known) {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "kernel " << name << ": expected a family of";
    for (const tile::Family &option : tile::allFamilies())
      diagnostic << " " << option.name;
    diagnostic << ", found \"" << family << "\"";
    return failure();
  }
  if (failed(tile::verifyParams(*known, params, emitError)))
    return failure();
  KernelSpec spec;
  spec.name = name.str();
  spec.family = *parseName<Family>(familyNames, family);
  spec.device = device;
  readFields(params, spec);
  if (spec.isMatmul() && spec.isQuantized() && !params.contains("x"))
    spec.x = Encoding::A8;
  return spec;
}

bool KernelSpec::hasSite() const { return tile::lookupFamily(stringify(family))->hasSite; }

unsigned KernelSpec::operandCount() const {
  switch (family) {
  case Family::Embed:
    return 3 + positions;
  case Family::Quantize:
  case Family::Add:
    return 3;
  case Family::Norm:
    return 4 + 2 * residual + bias;
  case Family::Gemv:
  case Family::Gemm:
    return 3 + bias + (experts != 0) + residual;
  case Family::RopeAppend:
    return 3 + (rotary != 0) + (qkNorm == NormForm::None ? 0 : qkBias ? 4 : 2);
  case Family::Attend:
    return 4;
  case Family::Route:
    return 2;
  }
  llvm_unreachable("all families are handled");
}

int64_t KernelSpec::tileScales() const { return tile::t32ElementBytes(stringify(enc), k); }
int64_t KernelSpec::tileBytes() const { return tile::t32Bytes(stringify(enc), group, 32, k); }

} // namespace headrace
