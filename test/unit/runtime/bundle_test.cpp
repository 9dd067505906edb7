// bundle_test.cpp - damaged and foreign weights.bin: what is refused, and with which words.
#include "fixture.h"

#include <algorithm>
#include <functional>

namespace {

struct BlobCase {
  const char *name;
  std::function<void(hr_blob_header &, hr_blob_section *)> damage;
  bool rehash; // the damage is meant to be found behind a right hash
  hr_status status;
  const char *what;
  int32_t section;
  uint64_t expected, found;
};

const BlobCase cases[] = {
    {"magic", [](hr_blob_header &h, hr_blob_section *) { h.magic[7] = 2; }, true, HR_BAD_BUNDLE, "magic number", -1,
     0x0100424f4c425248, 0x0200424f4c425248},
    {"version", [](hr_blob_header &h, hr_blob_section *) { h.version = 9; }, true, HR_BAD_BUNDLE, "version", -1,
     HR_ABI_VERSION, 9},
    {"header size", [](hr_blob_header &h, hr_blob_section *) { h.header_bytes = 32; }, true, HR_BAD_BUNDLE,
     "header size", -1, 64, 32},
    {"file size", [](hr_blob_header &h, hr_blob_section *) { h.file_bytes += 1; }, true, HR_BAD_BUNDLE, "file size", -1,
     65537, 65536},
    {"many sections", [](hr_blob_header &h, hr_blob_section *) { h.section_count = 5000; }, true, HR_BAD_BUNDLE,
     "most sections", -1, 1024, 5000},
    {"table past the end", [](hr_blob_header &h, hr_blob_section *) { h.section_count = 1024; }, true, HR_BAD_BUNDLE,
     "bytes of header and section table", -1, 65600, 65536},
    {"reserved header word", [](hr_blob_header &h, hr_blob_section *) { h.reserved[3] = 7; }, true, HR_BAD_BUNDLE,
     "reserved header word", -1, 0, 7},
    {"section kind", [](hr_blob_header &, hr_blob_section *s) { s[1].kind = 77; }, true, HR_BAD_BUNDLE,
     "highest section kind", 1, 3, 77},
    {"section device", [](hr_blob_header &, hr_blob_section *s) { s[1].device = 8; }, true, HR_BAD_BUNDLE,
     "highest section device", 1, 7, 8},
    {"memory kind", [](hr_blob_header &, hr_blob_section *s) { s[0].memory = 4; }, true, HR_BAD_BUNDLE,
     "highest memory kind", 0, 3, 4},
    {"reserved section word", [](hr_blob_header &, hr_blob_section *s) { s[2].reserved = 1; }, true, HR_BAD_BUNDLE,
     "reserved section word", 2, 0, 1},
    {"unaligned section", [](hr_blob_header &, hr_blob_section *s) { s[2].offset += 64; }, true, HR_BAD_BUNDLE,
     "section offset", 2, 65536, 49216},
    {"overlap", [](hr_blob_header &, hr_blob_section *s) { s[1].offset = 16384; }, true, HR_BAD_BUNDLE,
     "lowest section offset", 1, 16484, 16384},
    {"section over the header", [](hr_blob_header &, hr_blob_section *s) { s[0].offset = 0; }, true, HR_BAD_BUNDLE,
     "lowest section offset", 0, 256, 0},
    {"past the end", [](hr_blob_header &, hr_blob_section *s) { s[2].bytes = 16385; }, true, HR_BAD_BUNDLE,
     "most section bytes", 2, 16384, 16385},
    {"offset past the end", [](hr_blob_header &, hr_blob_section *s) { s[2].offset = uint64_t(1) << 63; }, true,
     HR_BAD_BUNDLE, "most section bytes", 2, 0, 100},
    {"name without end", [](hr_blob_header &, hr_blob_section *s) { s[0].name[23] = 'x'; }, true, HR_BAD_BUNDLE,
     "last byte of the section name", 0, 0, 'x'},
    {"fewer bytes than the library reads", [](hr_blob_header &, hr_blob_section *s) { s[0].bytes = 64; }, true,
     HR_MISMATCH, "hash that the library was compiled for", -1, 0, 0},
};

struct Blob {
  Blob() : memory(fake_blob_bytes) {
    fake_blob(memory.get());
    library = fake_library(memory.get(), 0);
  }
  hr_blob_header &header() { return *reinterpret_cast<hr_blob_header *>(memory.get()); }
  hr_blob_section *sections() { return reinterpret_cast<hr_blob_section *>(memory.get() + sizeof(hr_blob_header)); }
  hr_status check(size_t bytes = fake_blob_bytes) { return hr_check_bundle(&library, memory.get(), bytes, &problem); }

  Memory memory;
  hr_library library;
  hr_problem problem = {};
};

} // namespace

TEST_CASE("a whole bundle is accepted") {
  Blob blob;
  CHECK(blob.check() == HR_OK);
  CHECK(std::string(blob.problem.what) == "");
  CHECK(hr_check_payload(&blob.library, blob.memory.get(), fake_blob_bytes, &blob.problem) == HR_OK);
}

TEST_CASE("damaged headers and tables are refused with the numbers") {
  for (const BlobCase &c : cases) {
    INFO(c.name);
    Blob blob;
    c.damage(blob.header(), blob.sections());
    if (c.rehash)
      fake_blob_rehash(blob.memory.get());
    CHECK(blob.check() == c.status);
    CHECK(std::string(blob.problem.what) == c.what);
    CHECK(blob.problem.section == c.section);
    if (blob.problem.hex && c.expected == 0)
      continue; // a hash: what counts is that it differs
    CHECK(blob.problem.expected == c.expected);
    CHECK(blob.problem.found == c.found);
  }
}

TEST_CASE("a library that fits another blob, machine or version is refused") {
  Blob blob;
  auto status = [&] { return blob.check(); };
  SECTION("hash") {
    blob.library.blob_hash ^= 1;
    CHECK(status() == HR_MISMATCH);
    CHECK(std::string(blob.problem.what) == "hash that the library was compiled for");
  }
  SECTION("size") {
    blob.library.blob_bytes += 1;
    CHECK(status() == HR_MISMATCH);
    CHECK(std::string(blob.problem.what) == "size that the library was compiled for");
  }
  SECTION("abi") {
    blob.library.abi_version = HR_ABI_VERSION - 1;
    CHECK(status() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "abi version of the library");
  }
  SECTION("descriptor") {
    blob.library.bytes -= 8;
    CHECK(status() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "descriptor size of the library");
  }
  SECTION("device") {
    hr_device_info devices[] = {{"npu", HR_DEVICE_HEXAGON, 0}};
    blob.library.devices = devices;
    blob.library.device_count = 1;
    CHECK(status() == HR_UNSUPPORTED);
    CHECK(std::string(blob.problem.what) == "device kind");
  }
  SECTION("no head") {
    blob.library.entry_count = 2;
    CHECK(status() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "head entries of the library");
    blob.library.model_kind = HR_MODEL_ENCODER;
    CHECK(status() == HR_OK);
  }
  SECTION("no body") {
    blob.library.entries += 2;
    blob.library.entry_count = 2;
    CHECK(status() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "body entries of the library");
  }
  SECTION("model kind") {
    blob.library.model_kind = HR_MODEL_ENCODER + 1;
    CHECK(status() == HR_UNSUPPORTED);
    CHECK(std::string(blob.problem.what) == "highest model kind");
  }
  SECTION("pooling") {
    blob.library.pooling = HR_POOLING_CLS + 1;
    CHECK(status() == HR_UNSUPPORTED);
    CHECK(std::string(blob.problem.what) == "highest pooling");
  }
  SECTION("section of another device") {
    blob.sections()[1].device = 0;
    fake_blob_rehash(blob.memory.get());
    blob.library.blob_hash = blob.header().table_hash;
    CHECK(status() == HR_MISMATCH);
    CHECK(std::string(blob.problem.what) == "device of the weight section");
    CHECK(blob.problem.section == 1);
  }
  SECTION("short section") {
    blob.sections()[1].bytes = 99;
    fake_blob_rehash(blob.memory.get());
    blob.library.blob_hash = blob.header().table_hash;
    CHECK(status() == HR_MISMATCH);
    CHECK(std::string(blob.problem.what) == "fewest section bytes");
    CHECK(blob.problem.found == 99);
  }
  SECTION("memory that the device cannot read") {
    blob.sections()[0].memory = HR_MEMORY_OPENCL;
    fake_blob_rehash(blob.memory.get());
    blob.library.blob_hash = blob.header().table_hash;
    CHECK(status() == HR_UNSUPPORTED);
  }
}

TEST_CASE("weights may lie anywhere that is aligned") {
  Memory shifted(fake_blob_bytes, 4);
  Blob blob;
  std::copy_n(blob.memory.get(), size_t(fake_blob_bytes), shifted.get());
  CHECK(hr_check_bundle(&blob.library, shifted.get(), fake_blob_bytes, &blob.problem) == HR_INVALID_ARGUMENT);
  Memory lines(fake_blob_bytes, 128);
  std::copy_n(blob.memory.get(), size_t(fake_blob_bytes), lines.get());
  CHECK(hr_check_bundle(&blob.library, lines.get(), fake_blob_bytes, &blob.problem) == HR_OK);
}

TEST_CASE("every byte of header and table counts") {
  Blob blob;
  const size_t head = sizeof(hr_blob_header) + 3 * sizeof(hr_blob_section);
  for (size_t at = 0; at < head; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      blob.memory.get()[at] ^= uint8_t(1 << bit);
      INFO("byte " << at << " bit " << bit);
      CHECK(blob.check() != HR_OK);
      blob.memory.get()[at] ^= uint8_t(1 << bit);
    }
  CHECK(blob.check() == HR_OK);
}

TEST_CASE("behind a right hash no byte of the table leads outside the file") {
  Blob blob;
  const size_t head = sizeof(hr_blob_header) + 3 * sizeof(hr_blob_section);
  Memory original(fake_blob_bytes);
  std::copy_n(blob.memory.get(), size_t(fake_blob_bytes), original.get());
  for (size_t at = 8; at < head; ++at)
    for (uint8_t flip : {uint8_t(1), uint8_t(0x80), uint8_t(0xff)}) {
      blob.memory.get()[at] ^= flip;
      fake_blob_rehash(blob.memory.get());
      blob.library.blob_hash = blob.header().table_hash;
      hr_check_payload(&blob.library, blob.memory.get(), fake_blob_bytes, &blob.problem);
      std::copy_n(original.get(), head, blob.memory.get());
    }
  SUCCEED();
}

TEST_CASE("every truncation is refused") {
  Blob blob;
  CHECK(hr_check_bundle(&blob.library, nullptr, 0, &blob.problem) == HR_BAD_BUNDLE);
  CHECK(hr_check_bundle(&blob.library, nullptr, 1, &blob.problem) == HR_INVALID_ARGUMENT);
  for (size_t bytes = 0; bytes < 600; ++bytes)
    CHECK(blob.check(bytes) == HR_BAD_BUNDLE);
  for (size_t bytes = 600; bytes < fake_blob_bytes; bytes += 999)
    CHECK(blob.check(bytes) == HR_BAD_BUNDLE);
  std::vector<uint64_t> exact(4); // nothing is read past what was given
  std::copy_n(blob.memory.get(), 32, reinterpret_cast<uint8_t *>(exact.data()));
  CHECK(hr_check_bundle(&blob.library, exact.data(), 32, &blob.problem) == HR_BAD_BUNDLE);
  CHECK(std::string(blob.problem.what) == "bytes of the header");
  CHECK(hr_check_bundle(&blob.library, blob.memory.get() + 3, 0, &blob.problem) ==
        HR_BAD_BUNDLE); // empty, at any place
  CHECK(std::string(blob.problem.what) == "bytes of the header");
}

TEST_CASE("payload damage is found and located") {
  Blob blob;
  auto check = [&] { return hr_check_payload(&blob.library, blob.memory.get(), fake_blob_bytes, &blob.problem); };
  SECTION("in a section") {
    blob.memory.get()[2 * HR_SECTION_ALIGN + 50] ^= 4;
    CHECK(check() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "hash of the section");
    CHECK(blob.problem.section == 1);
  }
  SECTION("between sections") {
    blob.memory.get()[2 * HR_SECTION_ALIGN - 1] = 9;
    CHECK(check() == HR_BAD_BUNDLE);
    CHECK(std::string(blob.problem.what) == "filling before the section, a byte");
    CHECK(blob.problem.section == 1);
    CHECK(blob.problem.found == 9);
  }
  SECTION("after the last") {
    blob.memory.get()[fake_blob_bytes - 1] = 9;
    CHECK(check() == HR_BAD_BUNDLE);
    CHECK(blob.problem.section == 3);
  }
}

TEST_CASE("a file may be mapped at any page") {
  Memory memory(fake_blob_bytes, 4096);
  fake_blob(memory.get());
  hr_library library = fake_library(memory.get(), 1);
  hr_problem problem = {};
  CHECK(hr_check_bundle(&library, memory.get(), fake_blob_bytes, &problem) == HR_OK);
  Memory odd(fake_blob_bytes, 64);
  fake_blob(odd.get());
  CHECK(hr_check_bundle(&library, odd.get(), fake_blob_bytes, &problem) == HR_INVALID_ARGUMENT);
  CHECK(std::string(problem.what) == "alignment of the mapped section");
}

TEST_CASE("a base is a part of its section") {
  Blob blob;
  hr_base bases[8];
  std::copy_n(blob.library.bases, blob.library.base_count, bases);
  blob.library.bases = bases;
  bases[2].offset = 64;
  bases[2].align = 64;
  bases[2].bytes = fake_section_bytes - 64;
  CHECK(blob.check() == HR_OK);
  bases[2].bytes += 1;
  CHECK(blob.check() == HR_MISMATCH);
  CHECK(blob.problem.expected == fake_section_bytes + 1);
  bases[2].offset = UINT64_MAX;
  CHECK(blob.check() == HR_MISMATCH);
}
