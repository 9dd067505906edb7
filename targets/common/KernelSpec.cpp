#include "targets/common/KernelSpec.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>

using namespace mlir;

namespace headrace {
namespace {

constexpr llvm::StringLiteral familyNames[] = {"embed", "norm",        "quantize", "gemv",
                                               "gemm",  "rope_append", "attend",   "add"};
constexpr llvm::StringLiteral encodingNames[] = {"f32", "f16", "w8", "w4", "a8"};
constexpr llvm::StringLiteral activationNames[] = {"none", "silu", "relu", "tanh", "gelu", "gelu_tanh"};

template <typename Enum, size_t N>
std::optional<Enum> parseName(const llvm::StringLiteral (&names)[N], llvm::StringRef text) {
  for (size_t i = 0; i != N; ++i)
    if (names[i] == text)
      return Enum(i);
  return std::nullopt;
}

/// Takes typed values out of a parameter dictionary, remembers the first error and which keys were asked for.
class Reader {
public:
  Reader(DictionaryAttr params, llvm::function_ref<InFlightDiagnostic()> emitError)
      : params(params), emitError(emitError) {}

  bool has(llvm::StringRef key) const { return bool(params.get(key)); }

  int64_t integer(llvm::StringRef key, int64_t least = 1) {
    auto attr = get<IntegerAttr>(key, "an integer");
    if (!attr || failed)
      return least;
    int64_t value = attr.getValue().getSExtValue();
    if (value < least)
      fail() << "parameter " << key << ": expected at least " << least << ", found " << value;
    return value;
  }

  bool flag(llvm::StringRef key) {
    auto attr = get<BoolAttr>(key, "a bool");
    return attr && attr.getValue();
  }

  float real(llvm::StringRef key) {
    auto attr = get<FloatAttr>(key, "a float");
    return attr ? float(attr.getValueAsDouble()) : 0.0f;
  }

  template <typename Enum, size_t N>
  Enum name(llvm::StringRef key, const llvm::StringLiteral (&names)[N], llvm::ArrayRef<Enum> allowed) {
    auto attr = get<StringAttr>(key, "a string");
    if (!attr)
      return allowed.front();
    std::optional<Enum> value = parseName<Enum>(names, attr.getValue());
    if (value && llvm::is_contained(allowed, *value))
      return *value;
    InFlightDiagnostic diagnostic = fail();
    diagnostic << "parameter " << key << ": expected one of";
    for (Enum option : allowed)
      diagnostic << " " << names[size_t(option)];
    diagnostic << ", found \"" << attr.getValue() << "\"";
    return allowed.front();
  }

  InFlightDiagnostic fail() {
    failed = true;
    return emitError();
  }

  /// Fails on a key that nobody asked for.
  void finish() {
    for (NamedAttribute attr : params)
      if (!failed && !llvm::is_contained(known, attr.getName().strref()))
        fail() << "parameter " << attr.getName().strref() << ": unknown to this family";
  }

  bool failed = false;

private:
  template <typename Attr> Attr get(llvm::StringRef key, llvm::StringRef kind) {
    known.push_back(key);
    if (failed)
      return {};
    Attribute attr = params.get(key);
    if (auto typed = llvm::dyn_cast_or_null<Attr>(attr))
      return typed;
    if (attr)
      fail() << "parameter " << key << ": expected " << kind << ", found " << attr;
    else
      fail() << "parameter " << key << ": expected " << kind << ", found none";
    return {};
  }

  DictionaryAttr params;
  llvm::function_ref<InFlightDiagnostic()> emitError;
  SmallVector<llvm::StringRef> known;
};

constexpr Encoding weightEncodings[] = {Encoding::F32, Encoding::F16, Encoding::W8, Encoding::W4};
constexpr Encoding cacheTypes[] = {Encoding::F32, Encoding::F16};
constexpr Encoding rowTypes[] = {Encoding::F32, Encoding::A8};
constexpr Activation activations[] = {Activation::None, Activation::Silu, Activation::Relu,
                                      Activation::Tanh, Activation::Gelu, Activation::GeluTanh};

void readGroup(Reader &reader, KernelSpec &spec, bool needed) {
  spec.group = needed || reader.has("group") ? reader.integer("group", 0) : 0;
  if (needed && !reader.failed && spec.group != 32 && spec.group != 64 && spec.group != 128)
    reader.fail() << "parameter group: expected 32, 64 or 128, found " << spec.group;
}

void readMatrix(Reader &reader, KernelSpec &spec) {
  spec.enc = reader.name("enc", encodingNames, llvm::ArrayRef<Encoding>(weightEncodings));
  readGroup(reader, spec, spec.isQuantized());
  spec.n = reader.integer("n");
  spec.k = reader.integer("k");
}

void readAttention(Reader &reader, KernelSpec &spec) {
  spec.heads = reader.integer("heads");
  spec.kvHeads = reader.integer("kv_heads");
  spec.headDim = reader.integer("head_dim");
  spec.context = reader.integer("context");
  spec.kType = reader.name("k_type", encodingNames, llvm::ArrayRef<Encoding>(cacheTypes));
  spec.vType = reader.name("v_type", encodingNames, llvm::ArrayRef<Encoding>(cacheTypes));
  if (!reader.failed && spec.heads % spec.kvHeads != 0)
    reader.fail() << "parameter heads: expected a multiple of kv_heads (" << spec.kvHeads << "), found " << spec.heads;
  if (!reader.failed && spec.context % 32 != 0)
    reader.fail() << "parameter context: expected a multiple of 32, found " << spec.context;
}

void readFamily(Reader &reader, KernelSpec &spec) {
  switch (spec.family) {
  case Family::Embed:
    return readMatrix(reader, spec);
  case Family::Gemv:
  case Family::Gemm:
    readMatrix(reader, spec);
    spec.bias = reader.flag("bias");
    spec.act = reader.name("act", activationNames, llvm::ArrayRef<Activation>(activations));
    spec.gated = reader.flag("gated");
    spec.residual = reader.flag("residual");
    return;
  case Family::Norm:
    spec.cols = reader.integer("cols");
    spec.eps = reader.real("eps");
    spec.residual = reader.flag("residual");
    spec.out = reader.name("out", encodingNames, llvm::ArrayRef<Encoding>(rowTypes));
    return readGroup(reader, spec, spec.out == Encoding::A8);
  case Family::Quantize:
    spec.cols = reader.integer("cols");
    return readGroup(reader, spec, true);
  case Family::RopeAppend:
    readAttention(reader, spec);
    spec.rotary = reader.integer("rotary", 0);
    if (!reader.failed && (spec.rotary > spec.headDim || spec.rotary % 2))
      reader.fail() << "parameter rotary: expected an even number up to head_dim (" << spec.headDim << "), found "
                    << spec.rotary;
    return;
  case Family::Attend:
    readAttention(reader, spec);
    spec.scale = reader.real("scale");
    return;
  case Family::Add:
    spec.cols = reader.integer("cols");
    return;
  }
}

} // namespace

llvm::StringRef stringify(Family family) { return familyNames[size_t(family)]; }
llvm::StringRef stringify(Encoding encoding) { return encodingNames[size_t(encoding)]; }
llvm::StringRef stringify(Activation activation) { return activationNames[size_t(activation)]; }

FailureOr<KernelSpec> KernelSpec::parse(llvm::StringRef name, llvm::StringRef family, DictionaryAttr params,
                                        unsigned device, llvm::function_ref<InFlightDiagnostic()> emitError) {
  std::optional<Family> known = parseName<Family>(familyNames, family);
  if (!known) {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "kernel " << name << ": expected a family of";
    for (llvm::StringRef option : familyNames)
      diagnostic << " " << option;
    diagnostic << ", found \"" << family << "\"";
    return failure();
  }
  KernelSpec spec;
  spec.name = name.str();
  spec.family = *known;
  spec.device = device;
  Reader reader(params, emitError);
  readFamily(reader, spec);
  reader.finish();
  if (reader.failed)
    return failure();
  return spec;
}

unsigned KernelSpec::operandCount() const {
  switch (family) {
  case Family::Embed:
  case Family::Quantize:
  case Family::Add:
    return 3;
  case Family::Norm:
    return residual ? 6 : 4;
  case Family::Gemv:
  case Family::Gemm:
    return 3 + bias + residual;
  case Family::RopeAppend:
  case Family::Attend:
    return 4;
  }
  llvm_unreachable("all families are handled");
}

int64_t KernelSpec::tileScales() const {
  switch (enc) {
  case Encoding::F32:
    return k * 128;
  case Encoding::F16:
    return k * 64;
  case Encoding::W8:
    return pad32(k) * 32;
  case Encoding::W4:
    return pad32(k) * 16;
  case Encoding::A8:
    break;
  }
  llvm_unreachable("weights are not a8");
}

int64_t KernelSpec::tileBytes() const {
  if (!isQuantized())
    return tileScales();
  return (tileScales() + groups() * 64 + 127) / 128 * 128;
}

} // namespace headrace
