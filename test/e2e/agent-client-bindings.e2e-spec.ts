import { describe, expect, it } from '@jest/globals';
import { TaskState } from '@a2a-js/sdk';
import { agentCalls, all, failure, hello, kinds, options } from '../support/agent-calls.js';
import { textOf } from '../support/agents.js';
import { eventually } from '../support/eventually.js';

const { client, sdkAgent } = agentCalls();

describe.each([
  ['JSONRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['GRPC', '1.0'],
  ['GRPC', '0.3'],
] as const)('calling an SDK agent over %s %s', (binding, version) => {
  it('streams the answer in the 1.0 model', async () => {
    const { agent } = await sdkAgent({ version, binding });
    expect(agent.endpoint).toMatchObject({ protocolBinding: binding, protocolVersion: version });
    const events = await all(client.stream(agent, hello(), options()));
    expect(kinds(events)).toEqual(['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    const artifact = events.find((event) => event.payload?.$case === 'artifactUpdate')?.payload;
    expect(artifact?.$case === 'artifactUpdate' && textOf(artifact.value.artifact?.parts)).toBe(
      'echo: hello',
    );
  });

  it('sends without blocking, and gets, and follows a task of 1.0 by subscription', async () => {
    const { agent } = await sdkAgent({
      version,
      binding,
      execute: async (turn) => {
        turn.task().working('busy');
        await turn.pause(150);
        turn.artifact('a', 'late').complete();
      },
    });
    const sent = await client.send(agent, hello(), options());
    if (!('task' in sent)) throw new Error('not a task');
    const { id } = sent.task;
    const followed = all(client.subscribe(agent, id, options())).then(kinds);
    if (version === '1.0') expect(await followed).toContain('artifactUpdate');
    else await expect(followed).rejects.toMatchObject({ kind: 'rejected' });
    const task = await eventually(async () => {
      const found = await client.getTask(agent, id, options());
      expect(found.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      return found;
    });
    expect(textOf(task.artifacts[0]?.parts)).toBe('late');
    expect(textOf(task.history[0]?.parts)).toBe('hello');
  });

  it('gives a plain message as a message', async () => {
    const { agent } = await sdkAgent({
      version,
      binding,
      execute: (turn) => void turn.reply('just so'),
    });
    const sent = await client.send(agent, hello(), options());
    expect('message' in sent && textOf(sent.message.parts)).toBe('just so');
    expect(kinds(await all(client.stream(agent, hello(), options())))).toEqual(['message']);
  });

  it('cancels', async () => {
    const { agent } = await sdkAgent({
      version,
      binding,
      execute: async (turn) => {
        turn.task().working();
        await turn.pause(5000);
      },
    });
    const sent = await client.send(agent, hello(), options());
    if (!('task' in sent)) throw new Error('not a task');
    const task = await client.cancel(agent, sent.task.id, options());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it('tells why a task cannot be canceled', async () => {
    const { agent } = await sdkAgent({ version, binding });
    const [first] = await all(client.stream(agent, hello(), options()));
    const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
    const error = await failure(client.cancel(agent, id, options()));
    expect(error).toMatchObject({ kind: 'rejected', detail: { code: -32002 } });
  });

  it('knows a task the agent does not have from other refusals', async () => {
    const { agent } = await sdkAgent({ version, binding });
    expect(await failure(client.getTask(agent, 'nope', options()))).toMatchObject({
      kind: 'not-found',
      detail: { code: -32001 },
    });
    const events = all(client.subscribe(agent, 'nope', options()));
    const kind = version === '1.0' ? 'not-found' : 'rejected';
    expect(await failure(events)).toMatchObject({ kind });
  });

  it('ends a stream that is left, and one that is aborted', async () => {
    const { agent, running } = await sdkAgent({
      version,
      binding,
      execute: async (turn) => {
        turn.task().working();
        await turn.pause(5000);
      },
    });
    for await (const event of client.stream(agent, hello(), options())) {
      expect(event.payload?.$case).toBe('task');
      break;
    }
    const abort = new AbortController();
    const seen: string[] = [];
    const stream = (async () => {
      for await (const event of client.stream(agent, hello(), { signal: abort.signal })) {
        seen.push(event.payload?.$case ?? '');
        abort.abort();
      }
    })();
    expect(await failure(stream)).toMatchObject({ kind: 'interrupted' });
    expect(seen[0]).toBe('task');
    expect(running.turns).toHaveLength(2);
  });
});
