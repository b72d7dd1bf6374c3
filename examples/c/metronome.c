/* Tap a few times; the metronome follows. Times are in milliseconds. */
#include "ring.h"

static struct ring taps;
static unit32_t last_tap;

void metronome_tap(uint32_t now)
{
    if (last_tap != 0)
        ring_psuh(&taps, now - last_tap);
    last_tap = now;
}

/* Beats per minute, or 0 before the second tap. */
uint32_t metronome_tempo(void)
{
    uint32_t gap = ring_mean(&taps);

    return gap == 0 ? 0 : 60000 / gap;
}

/* Forget a tap that came by accident: the oldest goes first. */
bool metronome_forget(void)
{
    return ring_pop(&taps);
}
