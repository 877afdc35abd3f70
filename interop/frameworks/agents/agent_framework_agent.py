"""A custom agent of Microsoft's agent-framework behind its A2A executor, served as its own example does."""

from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface
from agent_framework import AgentResponse, AgentResponseUpdate, BaseAgent, Content, Message, ResponseStream
from agent_framework_a2a import A2AExecutor
from starlette.applications import Starlette

from echo import DESCRIPTION, NAME, URL, reply, serve, take_time, words


class EchoAgent(BaseAgent):
    def run(self, messages=None, *, stream=False, session=None, **more):
        text = messages if isinstance(messages, str) else messages[-1].text
        if stream:
            return ResponseStream(self.updates(text), finalizer=AgentResponse.from_updates)
        return self.respond(text)

    async def respond(self, text):
        await take_time(text)
        said = Message('assistant', [Content.from_text(reply(text, 1))])
        return AgentResponse(messages=[said])

    async def updates(self, text):
        await take_time(text)
        for word in words(reply(text, 1)):
            yield AgentResponseUpdate(contents=[Content.from_text(word)], role='assistant')


card = AgentCard(
    name=NAME,
    description=DESCRIPTION,
    version='1.0.0',
    default_input_modes=['text'],
    default_output_modes=['text'],
    capabilities=AgentCapabilities(streaming=True),
    supported_interfaces=[AgentInterface(url=f'{URL}/', protocol_binding='JSONRPC')],
    skills=[],
)
handler = DefaultRequestHandler(
    agent_executor=A2AExecutor(EchoAgent(name=NAME), stream=True),
    task_store=InMemoryTaskStore(),
    agent_card=card,
)
serve(Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, '/')]))
