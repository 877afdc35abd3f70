"""An agent of pydantic-ai with a function for a model: `to_a2a` of pydantic-ai 1, the bridge of fasta2a since."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

from echo import DESCRIPTION, NAME, URL, reply, serve, take_time, words


async def answer(messages):
    said = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    content = said[-1].content
    text = content if isinstance(content, str) else ' '.join(map(str, content))
    await take_time(text)
    return reply(text, len(said))


async def respond(messages, info):
    return ModelResponse(parts=[TextPart(await answer(messages))])


async def stream(messages, info):
    for word in words(await answer(messages)):
        yield word


agent = Agent(FunctionModel(respond, stream_function=stream))
try:
    from fasta2a.pydantic_ai import agent_to_a2a
except ImportError:
    app = agent.to_a2a(name=NAME, url=URL, description=DESCRIPTION)
else:
    app = agent_to_a2a(agent, name=NAME, url=URL, description=DESCRIPTION)
serve(app)
