// The items to sort: a key, an integer that determines the order, and the element's position. No two items are equal,
// so any sorting algorithm keeps the order of equal keys.

#ifdef WIDE
struct Item { unsigned long long key, place; };             // 64-bit keys
__device__ inline Item item_of(unsigned long long key, long long place) { return {key, (unsigned long long)place}; }
__device__ inline bool before(Item a, Item b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
__device__ inline long long place_of(Item a) { return (long long)a.place; }
__device__ inline unsigned long long key_of(Item a) { return a.key; }
#define LAST_ITEM item_of(~0ull, -1)
#else
typedef unsigned long long Item;                            // 32-bit keys, with the position in the lower half of the
                                                            // same word
__device__ inline Item item_of(unsigned long long key, long long place) { return key << 32 | (unsigned)place; }
__device__ inline bool before(Item a, Item b) { return a < b; }
__device__ inline long long place_of(Item a) { return (long long)(unsigned)a; }
__device__ inline unsigned long long key_of(Item a) { return a >> 32; }
#define LAST_ITEM (~0ull)
#endif
