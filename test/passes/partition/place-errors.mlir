// RUN: headrace-opt %s --split-input-file --verify-diagnostics '--hr-place=place=layers.*.mlp=reference'

// expected-error @+1 {{expected the module attribute 'target.devices'}}
module {
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{place: expected a device of x86-64-v3; found 'reference'}}
module attributes {target.devices = [#cpu]} {
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
// expected-error @+1 {{place: pattern 'layers.*.mlp' matches nothing}}
module attributes {target.devices = [#cpu, #ref]} {
}
