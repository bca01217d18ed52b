// Checked mode: every access of a kernel comes here first, by the calls that -fsanitize=thread puts in front of it.
#pragma once

struct Shadow;
void begin_shadow(Shadow *shadow);      // for the next block, maybe of another kernel
void delete_shadow(Shadow *shadow);
