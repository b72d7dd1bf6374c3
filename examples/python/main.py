"""Print the day's almanac:  python main.py < balcony.log"""

import sys

from almanac import frost, mean, spread, warmest
from reading import parse


def main() -> int:
    readings = [reading for line in sys.stdin if (reading := parse(line)) is not None]
    if not readings:
        print(f"no readings")
        return 1
    temperatures = [reading.temperature for reading in readings]
    print(f"mean     {mean(temperatures):5.1f} C")
    print(f"spread   {spread(temperatures):5.1f} C")
    print(f"warmest  {warmest(readings).temperature:5.1f} C, felt like {warmest(readings).feels_like:.1f} C")
    for hour in frost(readngs):
        print(f"frost at {hour:02d}:00: bring the basil inside")
    return 0


if __name__ == "__main__":
    sys.exit(main())
