// hr-assign-encodings: see Passes.td.
#include "dialects/recipe/Quantized.h"
#include "dialects/target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/quantize/Passes.h"

namespace headrace::quantize {
#define GEN_PASS_DEF_ASSIGNENCODINGS
#include "passes/quantize/Passes.h.inc"
} // namespace headrace::quantize

using namespace mlir;
using namespace headrace;
using headrace::enc::Encoding;

namespace {

/// What a weight is read as. One that has several of these is decided by the first that applies: head, embedding,
/// matrix. Routers stay floats: a rounded score sends a row to another expert, and they are small.
struct Readers {
  SmallVector<model::ParamOp> head, embedding, matrix, router;
};

bool isRouter(model::LinearOp linear) {
  return llvm::any_of(linear->getUsers(), [](Operation *user) { return isa<model::RouteOp>(user); });
}

struct AssignEncodings : headrace::quantize::impl::AssignEncodingsBase<AssignEncodings> {
  using AssignEncodingsBase::AssignEncodingsBase;

  /// Encodings that the options name.
  struct Choice {
    Encoding matrix, embedding, head, k, v;
  };

  InFlightDiagnostic refuse(StringRef option) { return getOperation().emitError() << "option '" << option << "': "; }

  /// The encoding `name` for `option`; `floats` only where the reader cannot take codes.
  FailureOr<Encoding> named(StringRef option, StringRef name, bool floats) {
    if (!enc::isAllowedGroup(group))
      return refuse("group") << "expected 32, 64 or 128, found " << group.getValue(), failure();
    Encoding encoding = enc::encodingNamed(&getContext(), name, group);
    if (!encoding || (floats && !encoding.isFloat()))
      return refuse(option) << "expected " << (floats ? "f32 or f16" : "f32, f16, w8, w4, w4a or w4z") << ", found '"
                            << name << "'",
             failure();
    SmallVector<target::Device> devices = target::devicesOf(getOperation());
    auto supports = [&](target::Device device) {
      return floats ? device.supportsCache(encoding) : device.supportsWeights(encoding);
    };
    if (!devices.empty() && llvm::none_of(devices, supports))
      return refuse(option) << "expected an encoding that a device has kernels for, found '" << name << "'", failure();
    return encoding;
  }

  LogicalResult readOptions(Choice &choice) {
    auto orQuant = [&](const std::string &option) -> StringRef { return option.empty() ? quant : option; };
    std::string both = kv.empty() ? (quant == "f32" ? "f32" : "f16") : kv.getValue();
    auto [k, v] = StringRef(both).split(',');
    struct {
      StringRef option, name;
      bool floats;
      Encoding &into;
    } const wanted[] = {{"quant", quant, false, choice.matrix},
                        {"embed", orQuant(embed), false, choice.embedding},
                        {"head", orQuant(head), false, choice.head},
                        {"kv", k, true, choice.k},
                        {"kv", v.empty() ? k : v, true, choice.v}};
    for (const auto &item : wanted) {
      FailureOr<Encoding> encoding = named(item.option, item.name, item.floats);
      if (failed(encoding))
        return failure();
      item.into = *encoding;
    }
    return success();
  }

  llvm::MapVector<model::WeightOp, Readers> collectReaders() {
    llvm::MapVector<model::WeightOp, Readers> readers;
    for (auto weight : getOperation().getOps<model::WeightOp>())
      readers[weight]; // in the module's order, with those that are vectors only
    getOperation().walk([&](model::ParamOp param) {
      auto entry = param->getParentOfType<func::FuncOp>()->getAttrOfType<StringAttr>(model::kEntryAttr);
      Readers &of = readers[model::lookupWeight(param, param.getWeightAttr())];
      for (OpOperand &use : param.getResult().getUses()) {
        auto linear = dyn_cast<model::LinearOp>(use.getOwner());
        auto embed = dyn_cast<model::EmbedOp>(use.getOwner());
        if (embed && use.get() == embed.getTable()) // learned positions are vectors
          of.embedding.push_back(param);
        else if (linear && use.get() == linear.getWeight() && isRouter(linear))
          of.router.push_back(param);
        else if (linear && use.get() == linear.getWeight())
          (entry && entry.getValue() == "head" ? of.head : of.matrix).push_back(param);
      }
    });
    return readers;
  }

  /// The head gets a weight of its own, a copy of the recipe, which is returned.
  model::WeightOp splitTied(model::WeightOp table, const Readers &readers, const Choice &choice) {
    std::string name = "lm_head";
    for (int i = 2; getOperation().lookupSymbol(name); ++i)
      name = "lm_head." + std::to_string(i);
    OpBuilder builder(table);
    builder.setInsertionPointAfter(table);
    auto copy = cast<model::WeightOp>(builder.clone(*table));
    copy.setSymName(name);
    copy.setEncAttr(choice.head);
    for (model::ParamOp param : readers.head) {
      builder.setInsertionPoint(param);
      auto own = model::ParamOp::create(builder, param.getLoc(), param.getResult().getType(), name);
      param.getResult().replaceUsesWithIf(own.getResult(),
                                          [](OpOperand &use) { return isa<model::LinearOp>(use.getOwner()); });
      if (param->use_empty())
        param.erase();
    }
    table.emitRemark() << "tied table '" << table.getSymName() << "' is stored twice: " << choice.embedding
                       << " as embedding, " << choice.head << " as head";
    return copy;
  }

  /// A tied table keeps the encoding that it came with where no option names another.
  void assignKept(model::WeightOp table, const Readers &readers, Choice choice) {
    Encoding kept = table.getEncAttr();
    choice.embedding = embed.empty() ? kept : choice.embedding;
    choice.head = head.empty() ? kept : choice.head;
    if (readers.head.empty() || readers.embedding.empty() || choice.head == choice.embedding)
      return;
    model::WeightOp copy = splitTied(table, readers, choice);
    table.setEncAttr(choice.embedding);
    (choice.head == kept ? table : copy)->removeAttr(recipe::kCodesAttr);
  }

  void assign(model::WeightOp weight, const Readers &readers, const Choice &choice) {
    if (weight.getEnc()) {
      assignKept(weight, readers, choice);
    } else if (!readers.head.empty() && !readers.embedding.empty() && choice.head != choice.embedding) {
      splitTied(weight, readers, choice);
      weight.setEncAttr(choice.embedding);
    } else if (!readers.head.empty()) {
      weight.setEncAttr(choice.head);
    } else if (!readers.embedding.empty()) {
      weight.setEncAttr(choice.embedding);
    } else if (!readers.matrix.empty()) {
      weight.setEncAttr(choice.matrix);
    } else {
      weight.setEncAttr(enc::F32Attr::get(&getContext()));
    }
  }

  void runOnOperation() override {
    Choice choice;
    if (failed(readOptions(choice)))
      return signalPassFailure();
    for (auto &[weight, readers] : collectReaders())
      assign(weight, readers, choice);
    for (auto cache : getOperation().getOps<model::KVCacheOp>()) {
      if (cache.getKType())
        continue;
      cache.setKTypeAttr(choice.k);
      cache.setVTypeAttr(choice.v);
    }
  }
};

} // namespace
