"""A fasta2a 0.5 agent (A2A 0.2.5): upper-cases texts; `slow` takes until it is canceled."""

import asyncio
import contextlib
import socket
import uuid

import uvicorn
from fasta2a import FastA2A, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.schema import Artifact, TextPart
from fasta2a.storage import InMemoryStorage


class UpperCaseWorker(Worker):
    """Runs each task on its own, so that a cancel need not wait for the running one."""

    def __init__(self, broker, storage):
        super().__init__(broker=broker, storage=storage)
        self.running = {}

    async def run_task(self, params):
        self.running[params['id']] = asyncio.create_task(self.work(params))

    async def work(self, params):
        task_id = params['id']
        text = ''.join(part.get('text', '') for part in params['message']['parts'])
        await self.storage.update_task(task_id, state='working')
        if text == 'slow':
            await asyncio.sleep(3600)
        await self.storage.update_task(
            task_id, state='completed', new_artifacts=self.build_artifacts(text.upper())
        )

    async def cancel_task(self, params):
        running = self.running.get(params['id'])
        if running is not None:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await self.storage.update_task(params['id'], state='canceled')

    def build_message_history(self, history):
        return history

    def build_artifacts(self, result):
        part = TextPart(kind='text', text=result)
        return [Artifact(artifact_id=str(uuid.uuid4()), name='result', parts=[part])]


def main():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    url = f'http://127.0.0.1:{listener.getsockname()[1]}'
    storage = InMemoryStorage()
    broker = InMemoryBroker()
    worker = UpperCaseWorker(broker, storage)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        async with app.task_manager, worker.run():
            print(f'listening on {url}', flush=True)
            yield

    app = FastA2A(
        storage=storage,
        broker=broker,
        name='Upper case',
        url=url,
        description='Upper-cases texts.',
        skills=[
            {
                'id': 'upper',
                'name': 'Upper case',
                'description': 'Upper-cases a text.',
                'tags': ['upper'],
                'input_modes': ['text/plain'],
                'output_modes': ['text/plain'],
            }
        ],
        lifespan=lifespan,
    )
    uvicorn.Server(uvicorn.Config(app, log_level='warning')).run(sockets=[listener])


if __name__ == '__main__':
    main()
