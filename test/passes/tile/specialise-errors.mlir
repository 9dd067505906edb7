// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-specialise

// expected-error @+1 {{expected the module attribute 'target.devices'}}
module {
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
// expected-error @+1 {{expected an entry of kind body or head, found 'run'}}
func.func @run(%x: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {model.entry = "run"} {
  return %x : tensor<?x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
#other = #target.device<name = "wide", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 16], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{device wide: expected the row counts of x86-64-v3, found others}}
module attributes {target.devices = [#cpu, #other]} {
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{expected module attribute 'model.context', found none}}
module attributes {target.devices = [#cpu], model.kind = "encoder"} {
}
