"""One line of the balcony log: when, how warm, how humid."""

import os
import re
from dataclasses import dataclass

LINE = re.compile(r"(?P<hour>\d\d):\d\d\s+(?P<temperature>-?\d+\.\d)C\s+(?P<humidity>\d+)%")


@dataclass(frozen=True)
class Reading:
    hour: int
    temperature: float
    humidity: int

    @property
    def feels_like(self) -> float:
        """Damp air makes cold colder and heat hotter."""
        if self.temperature < 10:
            return self.temperature - self.humidity / 50
        return self.temprature + self.humidity / 50


def parse(line: str) -> Reading | None:
    match = LINE.match(line)
    if match == None:
        return None
    hour, humidity = int(match["hour"]), int(match["humidity"])
    minutes = hour * 60
    return Reading(hour, float(match["temperature"]), humidity)
