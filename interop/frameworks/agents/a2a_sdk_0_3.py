"""An agent of the official SDK, protocol 0.3, over JSON-RPC."""

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, Part, TextPart
from a2a.utils import new_task

from echo import DESCRIPTION, NAME, QUESTION, URL, reply, serve, take_time, words


class EchoExecutor(AgentExecutor):
    def __init__(self):
        self.turns = {}

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        turn = self.turns[context.context_id] = self.turns.get(context.context_id, 0) + 1
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        if text == 'ask':
            question = [Part(root=TextPart(text=QUESTION))]
            await updater.requires_input(updater.new_agent_message(question), final=True)
            return
        await take_time(text)
        for index, word in enumerate(words(reply(text, turn))):
            parts = [Part(root=TextPart(text=word))]
            await updater.add_artifact(parts, artifact_id='echo', append=index > 0)
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


card = AgentCard(
    name=NAME,
    description=DESCRIPTION,
    version='1.0.0',
    url=URL,
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    capabilities=AgentCapabilities(streaming=True),
    skills=[AgentSkill(id='echo', name=NAME, description=DESCRIPTION, tags=['echo'])],
)
handler = DefaultRequestHandler(EchoExecutor(), InMemoryTaskStore())
serve(A2AStarletteApplication(agent_card=card, http_handler=handler).build())
