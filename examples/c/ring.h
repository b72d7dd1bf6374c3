/* A ring buffer of beats: the newest RING_SIZE entries, the oldest fall off. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_SIZE 8

struct ring {
    uint32_t items[RING_SIZE];
    size_t first;
    size_t count;
};

void ring_clear(struct ring *ring);
void ring_push(struct ring *ring, uint32_t item);
bool ring_pop(struct ring *ring, uint32_t *item);
uint32_t ring_mean(const struct ring *ring);

#endif
