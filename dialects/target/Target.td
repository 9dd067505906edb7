// target: what passes may ask of a device. No pass names a target; it asks this interface.
#ifndef HEADRACE_TARGET_TD
#define HEADRACE_TARGET_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Target_Dialect : Dialect {
  let name = "target";
  let cppNamespace = "::headrace::target";
  let summary = "descriptions of devices";
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

def Target_DeviceInterface : AttrInterface<"Device"> {
  let cppNamespace = "::headrace::target";
  let description = [{
    What a pass may ask of a device. Sizes are bytes, rates are MB/s; 0 means "not known". The module attribute `target.devices` lists
    the devices of a compilation; a device's index there is the `device` attribute of ops, weights and plan bases.
  }];
  let methods = [
    InterfaceMethod<"The name for reports and messages, unique in a module.", "::llvm::StringRef", "getDeviceName">,
    InterfaceMethod<"The kind of device, which the runtime must know how to open.", "::llvm::StringRef", "getDeviceKind">,
    InterfaceMethod<"Row counts for which bodies are specialised, ascending; the first is 1.", "::llvm::ArrayRef<int64_t>",
                    "getBodyChunks">,
    InterfaceMethod<"Row counts for which heads are specialised, ascending; the first is 1.", "::llvm::ArrayRef<int64_t>",
                    "getHeadChunks">,
    InterfaceMethod<"Whether some kernel reads matrix weights in this encoding.", "bool", "supportsWeights",
                    (ins "::headrace::enc::Encoding":$encoding)>,
    InterfaceMethod<"Whether some kernel keeps keys or values in this encoding.", "bool", "supportsCache",
                    (ins "::headrace::enc::Encoding":$encoding)>,
    InterfaceMethod<"The layout that the device's kernels want for a matrix weight in this encoding.", "::llvm::StringRef",
                    "getWeightLayout", (ins "::headrace::enc::Encoding":$encoding)>,
    InterfaceMethod<"Bytes that weights, caches and arenas may take together; 0 when not known.", "int64_t", "getMemoryBytes">,
    InterfaceMethod<"Sustained bandwidth of the memory that weights are read from, MB/s; 0 when not known.", "int64_t",
                    "getBandwidthMBs">
  ];
}

def Target_Device : AttrDef<Target_Dialect, "Device", [DeclareAttrInterfaceMethods<Target_DeviceInterface>]> {
  let mnemonic = "device";
  let summary = "a device as plain facts";
  let description = [{
    ```mlir
    #target.device<name = "x86-64-v4+vnni", kind = "cpu", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4",
                   features = "+avx512vnni", encodings = ["f32", "f16", "w8", "w4"], kv = ["f32", "f16"], layout = "t32",
                   body_rows = [1, 8, 32, 128], head_rows = [1, 8], memory = 8589934592, bandwidth = 20000, threads = 2>
    ```
    `encodings` and `kv` hold spellings of `enc` attributes. `threads` is the default number of threads.

    C1: name, kind and triple are not empty.
    C2: body_rows and head_rows begin with 1 and ascend.
    C3: there is an encoding, and no encoding is listed twice.
    C4: memory, bandwidth and threads are not negative.
  }];
  let parameters = (ins
    StringRefParameter<"name for people">:$name,
    StringRefParameter<"kind that the runtime opens">:$kind,
    StringRefParameter<"LLVM triple">:$triple,
    StringRefParameter<"LLVM cpu">:$cpu,
    StringRefParameter<"LLVM features">:$features,
    ArrayRefParameter<"::mlir::StringAttr", "encodings of matrix weights">:$encodings,
    ArrayRefParameter<"::mlir::StringAttr", "encodings of keys and values">:$kv,
    StringRefParameter<"layout of matrix weights">:$layout,
    ArrayRefParameter<"int64_t", "row counts of bodies">:$body_rows,
    ArrayRefParameter<"int64_t", "row counts of heads">:$head_rows,
    "int64_t":$memory,
    "int64_t":$bandwidth,
    "int64_t":$threads
  );
  let assemblyFormat = [{
    `<` `name` `=` $name `,` `kind` `=` $kind `,` `triple` `=` $triple `,` `cpu` `=` $cpu `,` `features` `=` $features `,`
    `encodings` `=` `[` $encodings `]` `,` `kv` `=` `[` $kv `]` `,` `layout` `=` $layout `,` `body_rows` `=` `[` $body_rows `]` `,`
    `head_rows` `=` `[` $head_rows `]` `,` `memory` `=` $memory `,` `bandwidth` `=` $bandwidth `,` `threads` `=` $threads `>`
  }];
  let genVerifyDecl = 1;
}
#endif
