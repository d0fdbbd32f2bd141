"""A model in this process plays a walk: any function from messages to words can be an agent, without HTTP or a key."""

from bearleft import evaluate, score
from bearleft.agents.llm import LanguageModelAgent, Prices, in_process


def answer(messages):
    """Walk on while a way leads straight ahead, else stop; a model of your own is called here."""
    seen = messages[-1]["content"]
    if "the way you face" not in seen:
        return "I face no way.\nACTION: right"
    return "ACTION: stop" if "Step 9 " in seen else "ACTION: forward"


agent = LanguageModelAgent("straight-on", in_process(answer), prices=Prices(input=0.15, output=0.6))
traces = evaluate(agent, "city/touchdown/small@5", "straight-on.jsonl")
for call in traces[0].legs[0].calls[:2]:
    print(call.messages[-1].text, "->", call.action)
print({row["metric"]: round(row["value"], 2) for row in score("straight-on.jsonl").rows})
