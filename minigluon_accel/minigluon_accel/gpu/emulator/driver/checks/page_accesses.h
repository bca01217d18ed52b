// Storage for the last uses of global memory, and names of memory for messages.
#pragma once
#include "checks/races.h"

struct Launch;

// The uses of the word at this address, a multiple of 4. Null: too much memory is watched already.
Word *used_word(uintptr_t address);

// The one word that stands for all of a page, *whole; or, of a page whose words differ already, the first.
Word *used_page(uintptr_t address, bool *whole);

// "byte 4 of 'y', an allocation of 400 bytes", by the name of the kernel's parameter that points there.
std::string array_title(const Launch &launch, uintptr_t address);
std::string shared_title(const Variable *variable);
