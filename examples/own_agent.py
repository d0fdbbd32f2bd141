"""An agent of your own: it parses the instructions of the generated town and follows them."""

import re

COMPASS = ["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"]


class Reader:
    def begin(self, episode, rng):
        self.expected = None

    def act(self, observation):
        if observation["step"] == 0:
            self.turns = [[int(n), way] for n, way in re.findall(r"crossing (\d+) turn (\w+)", observation["text"])]
            self.steps, self.moved = int(re.search(r"walk (\d+)", observation["text"])[1]), False
            self.expected = 45 * COMPASS.index(re.search(r"Face (\w+)", observation["text"])[1])
        if self.moved and self.turns and len(observation["links"]) > 2:
            self.turns[0][0] -= 1
            if self.turns[0][0] == 0:
                self.expected = self.before + (90 if self.turns.pop(0)[1] == "right" else -90)
        if self.expected is not None and abs((observation["heading"] - self.expected + 180) % 360 - 180) > 35:
            self.moved = False
            return "right"
        self.expected, self.before, self.moved = None, observation["heading"], True
        self.steps -= not self.turns
        return "forward" if self.steps >= 0 else "stop"


if __name__ == "__main__":
    from bearleft import evaluate

    for trace in evaluate(Reader(), "town/dev", limit=3):
        print(trace.episode, *trace.legs[0].actions)
