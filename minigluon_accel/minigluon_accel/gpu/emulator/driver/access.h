// Checked mode: every access of a kernel comes here first.
#pragma once

class Block;
struct Shadow;

void begin_shadow(Block &block);        // nobody has used the block's shared memory yet
void delete_shadow(Shadow *shadow);
