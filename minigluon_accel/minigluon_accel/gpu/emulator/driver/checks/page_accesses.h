// Storage for the last uses of global memory, and names of memory for messages.
#pragma once
#include "checks/races.h"

struct Launch;

// The uses of the word at this address, a multiple of 4. Null: too much memory is already being watched.
Word *used_word(uintptr_t address);

// The word that represents all words of a page, *whole; or the first word, if the words of the page already differ.
Word *used_page(uintptr_t address, bool *whole);

// "byte 4 of 'y', an allocation of 400 bytes", with the name of the kernel's parameter that points there.
std::string array_title(const Launch &launch, uintptr_t address);
std::string shared_title(const Variable *variable);
