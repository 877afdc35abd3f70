"""An agent of fasta2a with a worker of its own, and the library's broker and storage."""

import uuid
from contextlib import asynccontextmanager

from fasta2a import FastA2A, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.storage import InMemoryStorage

from echo import DESCRIPTION, NAME, QUESTION, URL, reply, serve, take_time


class EchoWorker(Worker):
    async def run_task(self, params):
        task_id, context_id = params['id'], params['context_id']
        message = params['message']
        text = ''.join(part.get('text', '') for part in message['parts'])
        said = [*(await self.storage.load_context(context_id) or []), text]
        await self.storage.update_context(context_id, said)
        await self.storage.update_task(task_id, state='working')
        await self.publish_status(task_id, context_id, 'working')
        if text == 'ask':
            question = self.message(QUESTION, params)
            await self.storage.update_task(task_id, state='input-required', new_messages=[question])
            return
        await take_time(text)
        artifacts = self.build_artifacts(reply(text, len(said)))
        await self.publish_artifact(task_id, context_id, artifacts[0])
        await self.storage.update_task(task_id, state='completed', new_artifacts=artifacts)

    async def cancel_task(self, params):
        await self.storage.update_task(params['id'], state='canceled')

    def message(self, text, params):
        ids = {'task_id': params['id'], 'context_id': params['context_id']}
        return {'role': 'agent', 'parts': [{'text': text}], 'message_id': str(uuid.uuid4()), **ids}

    def build_message_history(self, history):
        return history

    def build_artifacts(self, result):
        return [{'artifact_id': str(uuid.uuid4()), 'name': 'echo', 'parts': [{'text': result}]}]


storage = InMemoryStorage()
broker = InMemoryBroker()
worker = EchoWorker(broker=broker, storage=storage)


@asynccontextmanager
async def lifespan(app):
    async with app.task_manager, worker.run():
        yield


skill = {'id': 'echo', 'name': NAME, 'description': DESCRIPTION, 'tags': ['echo']}
modes = {'input_modes': ['text/plain'], 'output_modes': ['text/plain']}
serve(
    FastA2A(
        storage=storage,
        broker=broker,
        name=NAME,
        url=URL,
        description=DESCRIPTION,
        skills=[{**skill, **modes}],
        lifespan=lifespan,
    )
)
