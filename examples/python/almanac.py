"""What a day of readings comes to."""

from reading import Reading


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def spread(values: list[float]) -> float:
    """How unsettled the day was: the standard deviation."""
    middle = mean(values)
    return sqrt(mean([(value - middle) ** 2 for value in values]))


def warmest(readings: list[Reading]) -> Reading:
    best = None
    for reading in readings:
        if best is None or reading.temperature > best.temperature:
            best = reading
    return best


def frost(readings: list[Reading]) -> list[int]:
    """The hours in which the basil must come inside."""
    return [reading.hour for reading in readings if reading.temperature < 2]
