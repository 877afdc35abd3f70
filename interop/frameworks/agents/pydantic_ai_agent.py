"""An agent of pydantic-ai with a function for a model: `to_a2a` of pydantic-ai 1, the bridge of fasta2a since."""

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from echo import DESCRIPTION, NAME, URL, reply, serve, take_time, words


def last_said(messages):
    said = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    content = said[-1].content
    return content if isinstance(content, str) else ' '.join(map(str, content)), len(said)


async def answer(messages):
    text, turn = last_said(messages)
    await take_time(text)
    return reply(text, turn)


async def respond(messages, info):
    if last_said(messages)[0] == 'ask':
        return ModelResponse(parts=[ToolCallPart('paint', {}, 'call-1')])
    return ModelResponse(parts=[TextPart(await answer(messages))])


async def stream(messages, info):
    if last_said(messages)[0] == 'ask':
        yield {0: DeltaToolCall('paint', '{}', tool_call_id='call-1')}
        return
    for word in words(await answer(messages)):
        yield word


agent = Agent(
    FunctionModel(respond, stream_function=stream), output_type=[str, DeferredToolRequests]
)


@agent.tool_plain(requires_approval=True)
def paint():
    """Paints, when a person approves of it."""
    return 'painted'


try:
    from fasta2a.pydantic_ai import agent_to_a2a
except ImportError:
    app = agent.to_a2a(name=NAME, url=URL, description=DESCRIPTION)
else:
    app = agent_to_a2a(agent, name=NAME, url=URL, description=DESCRIPTION)
serve(app)
