"""Habitat's interface on bearleft's worlds: `Env` has reset, step, episode_over, get_metrics and Habitat's actions."""

from math import radians

from bearleft.envs.gym import ReachEnv
from bearleft.metrics.conventions import score_walks
from bearleft.metrics.walks import make_walks

STOP, MOVE_FORWARD, TURN_LEFT, TURN_RIGHT = range(4)
OURS = {STOP: 3, MOVE_FORWARD: 0, TURN_LEFT: 1, TURN_RIGHT: 2}
NAMES = {"SR": "success", "NE": "distance_to_goal", "nDTW": "ndtw", "SDTW": "sdtw"}


class Env:
    def __init__(self, dataset="town/dev", **options):
        self.env = ReachEnv(dataset, **options)
        self.episodes = self.env.episodes.all

    def reset(self):
        observation, info = self.env.reset()
        self.current_episode = next(e for e in self.episodes if e.id == info["episode"])
        self.episode_over, self.is_stop_called = False, False
        return self.to_habitat(observation)

    def step(self, action):
        action = action["action"] if isinstance(action, dict) else action
        observation, _, stopped, late, _ = self.env.step(OURS[int(action)])
        self.episode_over, self.is_stop_called = stopped or late, stopped
        return self.to_habitat(observation)

    def to_habitat(self, observation):
        east, north, up = self.env.game.graph.positions[observation["place"]]
        pictures = {"rgb": observation["view"]} if "view" in observation else {}
        look = -radians(float(observation["heading"][0]))  # Habitat's heading is counter-clockwise from -z
        instruction, position = {"text": observation["text"]}, [east, up, -north]
        return {"instruction": instruction, "position": position, "heading": look, **pictures}

    def get_metrics(self):
        game, episode = self.env.game, self.current_episode
        walks = make_walks(
            game.graph,
            [game.path],
            [episode.legs[0].goal.route],
            [episode.start.look.heading],
            stopped=[self.is_stop_called],
        )
        values = score_walks(walks, "vln-ce")
        return {NAMES[name]: float(values[name][0]) for name in NAMES} | {"steps_taken": len(game.actions)}


if __name__ == "__main__":
    env = Env("town/dev")
    observations = env.reset()
    print(observations["instruction"]["text"])
    for _ in range(10):
        env.step(MOVE_FORWARD)
    env.step({"action": STOP})
    print(env.episode_over, env.get_metrics())
