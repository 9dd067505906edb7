// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-lower-to-plan

// expected-error @+1 {{expected the module attribute 'model.vocab'}}
module {
}

// -----

// expected-error @+1 {{expected an entry with 'model.entry' and 'tile.rows'}}
func.func @f() {
  return
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu], model.vocab = 256 : i32, model.hidden = 64 : i32, model.context = 50 : i32,
  model.max_positions = 1024 : i32, model.bos = -1 : i32, model.eos = array<i32: 2>} {
// expected-error @+1 {{entry 'body_1': expected a result that it computes}}
func.func @body_1(%x: tensor<1x64xf32>, %pos: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64} {
  return %x : tensor<1x64xf32>
}
}
