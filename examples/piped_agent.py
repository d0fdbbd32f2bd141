"""An agent as a separate program that exchanges JSON lines over a pipe. It walks ten steps ahead and stops.

Run it: bearleft eval "pipe:python examples/piped_agent.py" town/dev -o piped.jsonl
"""

import json
import sys

if __name__ == "__main__" and not sys.stdin.isatty():
    for line in sys.stdin:
        message = json.loads(line)
        if "observe" in message:
            action = "forward" if message["observe"]["step"] < 10 else "stop"
            print(json.dumps({"action": action}), flush=True)
    print("", flush=True)
