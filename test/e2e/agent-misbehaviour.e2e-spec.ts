import { describe, expect, it, jest } from '@jest/globals';
import type { StreamResponse } from '@a2a-js/sdk';
import { anAgent } from '../support/an-agent.js';
import {
  agentCalls,
  all,
  endpoint,
  failure,
  hello,
  kinds,
  options,
} from '../support/agent-calls.js';

const { client, scripted, raw } = agentCalls();

const ENVOY = 'upstream connect error or disconnect/reset before headers.';

describe('calling an agent that misbehaves', () => {
  const working = {
    statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
  };

  it.each([
    ['garbage', 'not json', 'invalid'],
    ['HTML', '<html></html>', 'invalid'],
    ['nothing', '', 'invalid'],
    ['a list', '[]', 'invalid'],
    ['null', 'null', 'invalid'],
    ['no result', '{"jsonrpc":"2.0","id":1}', 'invalid'],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"result":{"id":"t"}}', 'invalid'],
    ['a task without id', '{"jsonrpc":"2.0","id":1,"result":{"status":{"state":3}}}', 'invalid'],
    ['a task without status', '{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}', 'invalid'],
    [
      'an unknown state',
      '{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"X"}}}',
      'invalid',
    ],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"boom"}}', 'rejected'],
    [
      'an error without id',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}',
      'rejected',
    ],
  ])('classifies %s', async (_name, body, kind) => {
    const agent = await raw(200, body, 'application/json');
    expect((await failure(client.getTask(agent, 't', options()))).kind).toBe(kind);
  });

  it('takes an error of null beside a result for none', async () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
    const agent = await raw(
      200,
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: task, error: null }),
      'application/json',
    );
    expect((await client.getTask(agent, 't', options())).id).toBe('t');
  });

  it.each([
    [500, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [302, 'rejected'],
    [503, 'rejected'],
    [502, 'interrupted'],
    [504, 'interrupted'],
  ])('classifies HTTP %i as %s, on sends and streams', async (status, kind) => {
    const agent = await raw(status, 'Internal Server Error', 'text/plain');
    const expected = { kind, detail: { httpStatus: status } };
    expect(await failure(client.send(agent, hello(), options()))).toMatchObject(expected);
    expect(await failure(all(client.stream(agent, hello(), options())))).toMatchObject(expected);
  });

  it('knows REST errors of both versions', async () => {
    const modern = JSON.stringify({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'no',
        details: [{ reason: 'TASK_NOT_FOUND' }],
      },
    });
    const agent = await raw(404, modern, 'application/json');
    const rest = { ...agent, endpoint: endpoint(agent.endpoint.url, '1.0', 'HTTP+JSON') };
    expect((await failure(client.getTask(rest, 't', options()))).kind).toBe('not-found');
    const legacy = await raw(409, '{"code":-32002,"message":"ended"}', 'application/json');
    const old = { ...legacy, endpoint: endpoint(legacy.endpoint.url, '0.3', 'HTTP+JSON') };
    expect(await failure(client.cancel(old, 't', options()))).toMatchObject({
      kind: 'rejected',
      detail: { code: -32002, httpStatus: 409 },
    });
  });

  it('says unreachable when nothing was sent', async () => {
    const refused = anAgent('gone', { endpoint: endpoint('http://127.0.0.1:1/') });
    expect((await failure(client.send(refused, hello(), options()))).kind).toBe('unreachable');
    const inside = anAgent('inside', { endpoint: endpoint('http://10.0.0.1/') });
    const error = await failure(all(client.stream(inside, hello(), options())));
    expect(error).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('private'),
    });
    const nowhere = anAgent('nowhere', { endpoint: endpoint('https://nowhere.invalid/') });
    expect((await failure(client.send(nowhere, hello(), options()))).kind).toBe('unreachable');
  });

  it('says interrupted when the connection breaks before or within the answer', async () => {
    const { agent } = await scripted({
      handlers: {
        SendMessage: (call) => call.cut(),
        SendStreamingMessage: async (call) => {
          call.event(working);
          await new Promise((resolve) => setTimeout(resolve, 20));
          call.cut();
        },
      },
    });
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('interrupted');
    const seen: StreamResponse[] = [];
    const error = await failure(
      (async () => {
        for await (const event of client.stream(agent, hello(), options())) seen.push(event);
      })(),
    );
    expect(error.kind).toBe('interrupted');
    expect(kinds(seen)).toEqual(['statusUpdate']);
  });

  it('says interrupted when the signal aborts, before and within a stream', async () => {
    const { agent } = await scripted({
      handlers: {
        SendMessage: () => undefined,
        SendStreamingMessage: (call) => void call.event(working),
      },
    });
    const abort = new AbortController();
    const waiting = failure(client.send(agent, hello(), options({ signal: abort.signal })));
    const seen = failure(
      (async () => {
        const { signal } = abort;
        const events = client.stream(agent, hello(), options({ signal }));
        while (!(await events.next()).done) abort.abort();
      })(),
    );
    expect((await seen).kind).toBe('interrupted');
    expect((await waiting).kind).toBe('interrupted');
    const late = await failure(client.send(agent, hello(), options({ signal: abort.signal })));
    expect(late.kind).toBe('interrupted');
  });

  it('closes the connection when the reader leaves a stream', async () => {
    const { running, agent } = await scripted({
      handlers: { SendStreamingMessage: (call) => void call.event(working) },
    });
    const events = client.stream(agent, hello(), options());
    await events.next();
    await events.return();
    await running.calls[0]?.closed;
  });

  it('takes an event over 16 MiB for a cut stream', async () => {
    const big = { ...working, metadata: 'x'.repeat(16 * 1024 * 1024) };
    const { agent } = await scripted({
      handlers: { SendStreamingMessage: (call) => void call.event(working).event(big) },
    });
    const error = await failure(all(client.stream(agent, hello(), options())));
    expect(error).toMatchObject({
      kind: 'interrupted',
      message: expect.stringContaining('16 MiB'),
    });
  });

  it('tells an error on the stream before the first event from one after it', async () => {
    const rpcError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"boom"}}';
    const { running, agent } = await scripted({
      handlers: {
        SendStreamingMessage: (call) => call.write(`event: error\ndata: ${rpcError}\n\n`).end(),
      },
    });
    const first = await failure(all(client.stream(agent, hello(), options())));
    expect(first).toMatchObject({ kind: 'rejected', detail: { code: -32603 } });
    running.handlers['SendStreamingMessage'] = (call) =>
      call.event(working).write(`event: error\ndata: ${rpcError}\n\n`).end();
    const later = await failure(all(client.stream(agent, hello(), options())));
    expect(later).toMatchObject({ kind: 'interrupted', detail: { code: -32603 } });
  });

  it.each([
    ['no JSON', 'data: {"jsonrpc":\n\n'],
    ['another kind of event', 'data: {"jsonrpc":"2.0","id":1,"result":{"other":{}}}\n\n'],
    [
      'an artifact without id',
      'data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","artifact":{"parts":[]}}}}\n\n',
    ],
    [
      'a part without content',
      'data: {"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{}]}}}\n\n',
    ],
    [
      'a null part',
      'data: {"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[null]}}}\n\n',
    ],
  ])('says invalid to a stream event with %s', async (_name, body) => {
    const agent = await raw(200, body, 'text/event-stream');
    expect((await failure(all(client.stream(agent, hello(), options())))).kind).toBe('invalid');
  });

  it.each(['no JSON', '{"message":{"messageId":"m","parts":[null]}}', 'null', '{}'])(
    'says invalid to the REST event %s, and prints nothing',
    async (event) => {
      const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      const agent = await raw(200, `data: ${event}\n\n`, 'text/event-stream');
      for (const version of ['1.0', '0.3'] as const) {
        const rest = { ...agent, endpoint: endpoint(agent.endpoint.url, version, 'HTTP+JSON') };
        const error = await failure(all(client.stream(rest, hello(), options())));
        expect(error.kind).toBe('invalid');
      }
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );

  it('reads streams with ids, comments, CRLF, odd pieces and no last empty line', async () => {
    const event = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(working)}}`;
    const { agent } = await scripted({
      handlers: {
        SendStreamingMessage: async (call) => {
          const id = Number(call.id);
          call.write(`: hello\n\nid: 7\ndata: ${event(id)}\n\ndata: ${event(id)}\r\nid: 1\r\n\r\n`);
          for (const piece of `data:${event(id)}`.match(/.{1,9}/g)!) {
            call.write(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          call.end();
        },
      },
    });
    expect(await all(client.stream(agent, hello(), options()))).toHaveLength(3);
  });

  it('takes a plain JSON answer to a stream for a stream of one event', async () => {
    const { running, agent } = await scripted({
      handlers: {
        SendStreamingMessage: (call) =>
          call.result({
            task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
          }),
      },
    });
    expect(kinds(await all(client.stream(agent, hello(), options())))).toEqual(['task']);
    running.handlers['SendStreamingMessage'] = (call) => call.error(-32004, 'no streams here');
    const refusal = await failure(all(client.stream(agent, hello(), options())));
    expect(refusal).toMatchObject({ kind: 'rejected', detail: { code: -32004 } });
  });

  it('does not repeat credentials an agent sends back in an error', async () => {
    const agent = await raw(500, 'bad token s3cret-token', 'text/plain', {
      credentials: { authorization: 'Bearer s3cret-token' },
    });
    const error = await failure(client.send(agent, hello(), options()));
    expect(error.message).toContain('***');
    expect(error.message).not.toContain('s3cret-token');
  });

  it('does not repeat the beginning of credentials in an excerpt', async () => {
    const secret = 's3cret-0123456789abcdef';
    const body = `event: error\ndata: ${'x'.repeat(985)} ${secret}\n\n`;
    const agent = await raw(200, body, 'text/event-stream', {
      credentials: { authorization: `Bearer ${secret}` },
    });
    const error = await failure(all(client.stream(agent, hello(), options())));
    expect(error.message).toContain('***');
    expect(error.message).not.toContain('s3cret');
  });

  it.each<[number, string, string]>([
    [408, 'Request Timeout', 'interrupted'],
    [502, 'Bad Gateway', 'interrupted'],
    [504, 'Gateway Timeout', 'interrupted'],
    [520, 'unknown error', 'interrupted'],
    [521, 'web server is down', 'rejected'],
    [522, 'connection timed out', 'interrupted'],
    [523, 'origin is unreachable', 'rejected'],
    [524, 'a timeout occurred', 'interrupted'],
    [503, `${ENVOY} reset reason: connection termination`, 'interrupted'],
    [503, `${ENVOY} reset reason: remote reset`, 'interrupted'],
    [503, `${ENVOY} reset reason: remote connection failure`, 'rejected'],
    [503, 'no healthy upstream', 'rejected'],
    [500, 'Internal Server Error', 'rejected'],
  ])('knows of HTTP %d "%s" whether the message may have arrived: %s', async (...told) => {
    const [status, body, kind] = told;
    const agent = await raw(status, body, 'text/plain');
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe(kind);
  });
});
