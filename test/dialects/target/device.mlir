// RUN: headrace-opt %s | headrace-opt | FileCheck %s

// CHECK: target.devices = [#target.device<name = "big", kind = "cpu", triple = "aarch64-linux-gnu", cpu = "", features = "+dotprod",
// CHECK-SAME: encodings = ["f32", "w4"], kv = ["f16"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 11500, threads = 4>,
// CHECK-SAME: #target.device<name = "other",
module attributes {target.devices = [
  #target.device<name = "big", kind = "cpu", triple = "aarch64-linux-gnu", cpu = "", features = "+dotprod",
    encodings = ["f32", "w4"], kv = ["f16"], layout = "t32", body_rows = [1, 8], head_rows = [1],
    memory = 0, bandwidth = 11500, threads = 4>,
  #target.device<name = "other", kind = "reference", triple = "aarch64-linux-gnu", cpu = "", features = "",
    encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1], head_rows = [1],
    memory = 8589934592, bandwidth = 0, threads = 1>]} {}
