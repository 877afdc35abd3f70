"""The fasta2a 0.5 client (A2A 0.2.5) against the hub. It validates every answer strictly by itself."""

import asyncio
import os
import uuid

import httpx
from fasta2a.client import A2AClient

HUB = os.environ['HUB_URL']
KEY = os.environ['HUB_KEY']
DEADLINE_SECONDS = 10


def message(text, **fields):
    part = {'kind': 'text', 'text': text}
    return {'role': 'user', 'kind': 'message', 'message_id': str(uuid.uuid4()), 'parts': [part], **fields}


def check(condition, what):
    if not condition:
        raise SystemExit(f'FAILED {what}')
    print(f'  ok {what}', flush=True)


async def ended(client, task_id, state):
    """The task once it is in this state."""
    for _ in range(DEADLINE_SECONDS * 20):
        response = await client.get_task(task_id)
        if response['result']['status']['state'] == state:
            return response
        await asyncio.sleep(0.05)
    raise SystemExit(f'FAILED the task is {response["result"]["status"]["state"]}, not {state}')


async def run(base_url):
    print(f'client at {base_url}/', flush=True)
    async with httpx.AsyncClient(headers={'Authorization': f'Bearer {KEY}'}, timeout=30) as http:
        client = A2AClient(base_url=base_url, http_client=http)
        to_agent = {'skillTags': ['upper']}

        response = await client.send_message(message('hello'), metadata=to_agent)
        task = response['result']
        check(task['kind'] == 'task', 'send answers a task')
        response = await ended(client, task['id'], 'completed')
        check('id' in response and response['id'] is None, 'get answers a null id with a null id')
        check(response['result']['artifacts'][0]['parts'][0]['text'] == 'HELLO', 'the artifact is there')

        response = await client.send_message(
            message('again', context_id=task['context_id']),
            metadata=to_agent,
            configuration={'accepted_output_modes': [], 'blocking': True},
        )
        again = response['result']
        check(again['context_id'] == task['context_id'], 'the context is kept')
        check(again['status']['state'] == 'completed', 'a blocking send waits for the end')

        response = await client.get_task('no-such-task')
        error = {'code': -32001, 'message': 'Task not found'}
        check({key: response['error'][key] for key in error} == error, 'an unknown task is not found')

        response = await client.send_message(
            message('slow'),
            metadata=to_agent,
            configuration={'accepted_output_modes': [], 'blocking': False},
        )
        slow = response['result']['id']
        await ended(client, slow, 'working')
        answer = await http.post(
            '/', json={'jsonrpc': '2.0', 'id': 7, 'method': 'tasks/cancel', 'params': {'id': slow}}
        )
        check(answer.status_code == 200 and 'result' in answer.json(), 'cancel answers the task')
        await ended(client, slow, 'canceled')
        check(True, 'the task is canceled')
        answer = await http.post(
            '/', json={'jsonrpc': '2.0', 'id': 8, 'method': 'tasks/cancel', 'params': {'id': 'no-such-task'}}
        )
        check(answer.status_code == 200, 'JSON-RPC errors ride on HTTP 200')
        check(answer.json()['error']['code'] == -32001, 'an unknown task cannot be canceled')


async def main():
    await run(HUB)
    await run(f'{HUB}/a2a')


if __name__ == '__main__':
    asyncio.run(main())
