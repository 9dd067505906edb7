// RUN: headrace-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{C1: expected a name, a kind and a triple, found '', 'cpu', 't'}}
module attributes {target.devices = [#target.device<name = "", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C1: expected a name, a kind and a triple, found 'a', 'cpu', ''}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C2: expected row counts that begin with 1 and ascend, found [8, 32] and [1]}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [8, 32], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C2: expected row counts that begin with 1 and ascend, found [1] and [1, 8, 8]}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1, 8, 8], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C3: expected different encodings, found "w4" twice}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["w4", "w4"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C3: expected different kv encodings, found "f16" twice}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f16", "f16"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{C4: expected memory, bandwidth and threads of at least 0, found 0, -1, 1}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = -1, threads = 1>]} {}

// -----

// expected-error @+1 {{'target.devices': expected a non-empty array on a module, found []}}
module attributes {target.devices = []} {}

// -----

// expected-error @+1 {{'target.devices': expected a device description, found "cpu"}}
module attributes {target.devices = ["cpu"]} {}

// -----

// expected-error @+1 {{'target.devices': expected different names, found 'a' twice}}
module attributes {target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>, #target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {}

// -----

// expected-error @+1 {{unexpected attribute 'target.wrong', found on func.func}}
func.func private @f() attributes {target.wrong = 1 : i32}
