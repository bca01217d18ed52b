// Checked mode: every access of a kernel comes here first, by the calls that -fsanitize=thread puts in front of it.
#pragma once

struct Shadow;
void delete_shadow(Shadow *shadow);
