// Checked mode: every access of a kernel is first reported here, by the calls that -fsanitize=thread inserts before it.
#pragma once
#include "checks/races.h"

void look_at(const void *pointer, size_t size, Access access, const void *instruction);
void begin_shadow(Block &block);        // prepares for the next block, possibly of another kernel
void delete_shadow(Block &block);
