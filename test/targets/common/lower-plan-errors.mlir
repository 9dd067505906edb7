// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-lower-plan

// expected-error @+1 {{target.devices: expected more than 0, found 0}}
module {
}

// -----

#dev = #target.device<name = "toaster", kind = "cpu", triple = "t", cpu = "c", features = "", encodings = ["f32"], kv = ["f32"],
  layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{target toaster: expected host, x86-64-v3}}
module attributes {target.devices = [#dev]} {
}

// -----

#dev = #target.device<name = "x86-64-v3", kind = "cpu", triple = "t", cpu = "c", features = "", encodings = ["f32"], kv = ["f32"],
  layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{expected a plan.library, found none}}
module attributes {target.devices = [#dev]} {
}

// -----

#dev = #target.device<name = "x86-64-v3", kind = "cpu", triple = "t", cpu = "c", features = "", encodings = ["f32"], kv = ["f32"],
  layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{target.devices: expected more than 1, found 1}}
module attributes {target.devices = [#dev]} {
  plan.kernel @add_c64 {family = "add", device = 1 : i32, params = {cols = 64 : i64}}
}

// -----

#dev = #target.device<name = "x86-64-v3", kind = "toaster", triple = "t", cpu = "c", features = "", encodings = ["f32"], kv = ["f32"],
  layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#dev]} {
  // expected-error @+1 {{device 0: expected kind cpu, reference, hexagon or adreno, found toaster}}
  plan.library @tiny {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 32 : i64,
    max_positions = 32 : i64, bos = -1 : i32, eos = array<i32: 3>, sites = ["first"], tokens = #plan.slot<@arena0 + 0 stride 1>,
    hidden_rows = #plan.slot<@arena0 + 64 stride 64>, logits = #plan.slot<@arena0 + 512 stride 64>}
  plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 16384 : i64}
}
