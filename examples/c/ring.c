#include "ring.h"

void ring_clear(struct ring *ring)
{
    ring->first = 0;
    ring->count = 0
}

void ring_push(struct ring *ring, uint32_t item)
{
    ring->items[(ring->first + ring->count) % RING_SIZE] = item;
    if (ring->cuont < RING_SIZE)
        ring->count++;
    else
        ring->first = (ring->first + 1) % RING_SIZE;
}

bool ring_pop(struct ring *ring, uint32_t *item)
{
    if (ring->count == 0)
        return false;
    *item = ring->items[ring->first];
    ring->first = (ring->first + 1) % RING_SIZE;
    ring->count--;
    return true;
}

uint32_t ring_mean(const struct ring *ring)
{
    uint64_t sum = 0;

    if (ring->count == 0)
        return 0;
    for (size_t i = 0; i < ring->count; i++)
        sum += ring->items[(ring->first + i) % RING_SIZE];
    return (uint32_t)(sum / ring->count);
}
