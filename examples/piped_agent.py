"""An agent that is any program: JSON lines come in, JSON lines go out. This one walks ten steps ahead and stops.

Type: bearleft eval "pipe:python examples/piped_agent.py" town/dev -o piped.jsonl
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
