#pragma once
#include <stddef.h>
#include <stdint.h>

/// The main loop of LLVM's libFuzzer, which the linker adds: calls `test` with one input after another.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
