"""An agent of the official SDK, protocol 0.3, over the binding that BINDING names."""

import asyncio
import base64
import os

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentSkill, FilePart, FileWithBytes, Part, TextPart
from a2a.utils import new_task

from echo import DESCRIPTION, HOST, NAME, PORT, QUESTION, URL, reply, serve, take_time, words


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
        files = [part.root for part in context.message.parts if isinstance(part.root, FilePart)]
        if files:
            await updater.add_artifact(reversed_file(files[0].file))
            await updater.complete()
            return
        await take_time(text)
        for index, word in enumerate(words(reply(text, turn))):
            parts = [Part(root=TextPart(text=word))]
            await updater.add_artifact(parts, artifact_id='echo', append=index > 0)
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def reversed_file(file):
    """What came, in words, and a file with its bytes the other way round."""
    came = base64.b64decode(file.bytes, validate=True)
    content = base64.b64encode(came[::-1]).decode()
    sent = FileWithBytes(bytes=content, name='reversed', mime_type='application/octet-stream')
    return [Part(root=TextPart(text=f'came: {came.hex()}')), Part(root=FilePart(file=sent))]


async def serve_grpc():
    """The card over HTTP, and the agent at a port of its own."""
    import grpc
    import uvicorn
    from a2a.grpc import a2a_pb2_grpc

    server = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), server)
    card.url = f'{HOST}:{server.add_insecure_port(f"{HOST}:0")}'
    await server.start()
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
    await uvicorn.Server(uvicorn.Config(app, host=HOST, port=PORT, log_level='warning')).serve()


BINDING = os.environ.get('BINDING', 'JSONRPC')
card = AgentCard(
    name=NAME,
    description=DESCRIPTION,
    version='1.0.0',
    url=URL,
    preferred_transport=BINDING,
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    capabilities=AgentCapabilities(streaming=True),
    skills=[AgentSkill(id='echo', name=NAME, description=DESCRIPTION, tags=['echo'])],
)
handler = DefaultRequestHandler(EchoExecutor(), InMemoryTaskStore())
if BINDING == 'GRPC':
    asyncio.run(serve_grpc())
else:
    of_binding = A2ARESTFastAPIApplication if BINDING == 'HTTP+JSON' else A2AStarletteApplication
    serve(of_binding(agent_card=card, http_handler=handler).build())
