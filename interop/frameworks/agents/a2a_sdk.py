"""An agent of the official SDK, protocol 1.0, over JSON-RPC and HTTP+JSON."""

from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from starlette.applications import Starlette

from echo import DESCRIPTION, NAME, QUESTION, URL, reply, serve, take_time, words


class EchoExecutor(AgentExecutor):
    def __init__(self):
        self.turns = {}

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        turn = self.turns[context.context_id] = self.turns.get(context.context_id, 0) + 1
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        if text == 'ask':
            await updater.requires_input(updater.new_agent_message([Part(text=QUESTION)]))
            return
        await take_time(text)
        for index, word in enumerate(words(reply(text, turn))):
            await updater.add_artifact([Part(text=word)], artifact_id='echo', append=index > 0)
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


card = AgentCard(
    name=NAME,
    description=DESCRIPTION,
    version='1.0.0',
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    capabilities=AgentCapabilities(streaming=True),
    supported_interfaces=[
        AgentInterface(url=URL, protocol_binding='JSONRPC', protocol_version='1.0'),
        AgentInterface(url=URL, protocol_binding='HTTP+JSON', protocol_version='1.0'),
    ],
    skills=[AgentSkill(id='echo', name=NAME, description=DESCRIPTION, tags=['echo'])],
)
handler = DefaultRequestHandler(EchoExecutor(), InMemoryTaskStore(), card)
serve(
    Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, '/'),
            *create_rest_routes(handler),
        ]
    )
)
