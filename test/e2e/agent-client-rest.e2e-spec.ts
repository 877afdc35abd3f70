import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anAgent } from '../support/an-agent.js';
import { agentCalls, all, endpoint, failure, hello, options } from '../support/agent-calls.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';

const { client } = agentCalls();

const TASK = {
  id: 'their-task',
  contextId: 'c',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-31T12:00:00.000Z' },
  artifacts: [{ artifactId: 'a', parts: [{ data: null }, { text: 'after' }] }],
};

interface ReceivedRequest {
  readonly at: string;
  readonly accept: string | undefined;
  readonly body: string;
}

let server: HttpListener;
const requested: ReceivedRequest[] = [];

beforeAll(async () => {
  server = await listenOnLoopback((request, response) => {
    void bodyOf(request).then((body) => {
      const at = `${request.method} ${request.url}`;
      requested.push({ at, accept: request.headers.accept, body });
      if (/stream|subscribe/.test(at)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.end(`data: ${JSON.stringify({ task: TASK })}\n\n`);
      }
      response.setHeader('content-type', 'application/a2a+json');
      if (at.includes('message:send')) return response.end(JSON.stringify({ task: TASK }));
      if (at.includes('/tasks?')) return response.end(JSON.stringify({ tasks: [TASK] }));
      return response.end(at.includes('empty') ? '' : JSON.stringify(TASK));
    });
  });
});

afterAll(() => server.close());

const agent = () =>
  anAgent('rest', {
    endpoint: { ...endpoint(`${server.url}/base/`, '1.0', 'HTTP+JSON'), tenant: 'te/nant' },
  });

describe('calling an agent of 1.0 over HTTP+JSON', () => {
  it('keeps a data part that holds null', async () => {
    const sent = await client.send(agent(), hello(), options());
    const task = 'task' in sent ? sent.task : undefined;
    expect(task?.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'data', value: null });
    const [event] = await all(client.stream(agent(), hello(), options()));
    expect(event?.payload).toMatchObject({
      value: { artifacts: [{ parts: [{ content: { $case: 'data', value: null } }, {}] }] },
    });
  });

  it('asks at the paths of the specification, below the tenant', async () => {
    requested.length = 0;
    await client.send(agent(), hello(), options());
    await all(client.stream(agent(), hello(), options()));
    await client.getTask(agent(), 'a/b', options());
    await client.cancel(agent(), 'x', options());
    await all(client.subscribe(agent(), 'x', options()));
    await client.findTasksByMessage(agent(), 'the context', 'm', options());
    const base = '/base/te%2Fnant';
    expect(requested.map(({ at }) => at.replace(/\?.*/, '?'))).toEqual([
      `POST ${base}/message:send`,
      `POST ${base}/message:stream`,
      `GET ${base}/tasks/a%2Fb`,
      `POST ${base}/tasks/x:cancel`,
      `POST ${base}/tasks/x:subscribe`,
      `GET ${base}/tasks?`,
    ]);
    expect(requested.at(-1)!.at).toContain('contextId=the+context');
    expect(requested.map(({ accept }) => accept === 'text/event-stream')).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('takes an answer without a body for no answer', async () => {
    const error = await failure(client.getTask(agent(), 'empty', options()));
    expect(error.kind).toBe('invalid');
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
}
