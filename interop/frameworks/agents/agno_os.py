"""An agent of agno with a model that echoes, in AgentOS with its A2A interface."""

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.os import AgentOS
from agno.tools import tool

from echo import DESCRIPTION, NAME, reply, serve, take_time, words


@tool(requires_confirmation=True)
def paint():
    """Paints, when a person confirms it."""
    return 'painted'


CALL = {'id': 'call-1', 'type': 'function', 'function': {'name': 'paint', 'arguments': '{}'}}


def last_said(messages):
    return str([message for message in messages if message.role == 'user'][-1].content)


class EchoModel(Model):
    async def answer(self, messages):
        said = [message for message in messages if message.role == 'user']
        text = str(said[-1].content)
        await take_time(text)
        return reply(text, len(said))

    async def ainvoke(self, messages, *args, **kwargs):
        if last_said(messages) == 'ask':
            return ModelResponse(role='assistant', tool_calls=[CALL])
        return ModelResponse(role='assistant', content=await self.answer(messages))

    async def ainvoke_stream(self, messages, *args, **kwargs):
        if last_said(messages) == 'ask':
            yield ModelResponse(role='assistant', tool_calls=[CALL])
            return
        for word in words(await self.answer(messages)):
            yield ModelResponse(role='assistant', content=word)

    def invoke(self, *args, **kwargs):
        raise NotImplementedError

    def invoke_stream(self, *args, **kwargs):
        raise NotImplementedError

    def _parse_provider_response(self, response, **kwargs):
        return response

    def _parse_provider_response_delta(self, response):
        return response


agent = Agent(
    id='echo',
    name=NAME,
    description=DESCRIPTION,
    model=EchoModel(id='echo'),
    tools=[paint],
    db=InMemoryDb(),
    add_history_to_context=True,
    telemetry=False,
)
serve(AgentOS(agents=[agent], a2a_interface=True, telemetry=False).get_app())
