import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import ts from 'typescript';
import { type BindingHarness, eventsOf, startBindings, streamOf } from './bindings-harness.js';

import { ScriptedAgent } from '../support/scripted-agent.js';
import { type Hub, startHub } from '../support/app.js';
import { allBindings, type Binding } from '../support/bindings.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';

const MESSAGE = {
  kind: 'message',
  messageId: 'm-1',
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
};

// One test for each point of "Known of 1.3" that concerns the JSON-RPC binding: what version 1.3 of the
// SDK does by itself, and that the hub does not show it.
describe('known of the SDK 1.3, at the binding', () => {
  let bindings: BindingHarness;

  beforeEach(async () => {
    bindings = await startBindings();
  });

  afterEach(async () => {
    await bindings.server.close();
  });

  it('its handlers answer bad JSON with -32600; the hub answers -32700', async () => {
    const sdk = new LegacyJsonRpcTransportHandler({} as never);
    const own = (await sdk.handle('{"jsonrpc"', new ServerCallContext())) as Json;
    expect(own['error'].code).toBe(-32600);
    for (const version of ['1.0', '0.3', '']) {
      const { body } = await bindings.post('{"jsonrpc"', { headers: { 'a2a-version': version } });
      expect(body['error'].code).toBe(-32700);
    }
  });

  it('its handlers answer a bad envelope with -32602; the hub answers -32600 in every version', async () => {
    for (const version of ['1.0', '0.3', '']) {
      for (const envelope of [
        { id: 1, method: 'GetTask' },
        { jsonrpc: '2.0', id: {}, method: 'tasks/get' },
      ]) {
        const { body } = await bindings.post(envelope, { headers: { 'a2a-version': version } });
        expect(body['error'].code).toBe(-32600);
      }
    }
  });

  it('its handlers check neither required fields nor types; the hub does, in every version', async () => {
    const wrong: [string, Json, string][] = [
      ['SendMessage', { message: { messageId: 'm', role: 'ROLE_USER' } }, 'message.parts'],
      [
        'SendMessage',
        { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } },
        'message.parts',
      ],
      ['GetTask', { id: 5 }, 'id'],
      ['message/send', { message: { ...MESSAGE, parts: [] } }, 'message.parts'],
      [
        'message/send',
        { message: { ...MESSAGE, parts: [{ kind: 'text', text: 5 }] } },
        'message.parts[0].text',
      ],
      ['tasks/get', { id: 5 }, 'id'],
      ['tasks/get', { id: 't', historyLength: -1 }, 'historyLength'],
    ];
    for (const [method, params, field] of wrong) {
      const { error } = await bindings.rpc(method, params);
      expect(error.code).toBe(-32602);
      expect(JSON.stringify(error.data)).toContain(`"field":"${field}"`);
    }
    expect(bindings.calls).toEqual([]);
  });

  it('its context takes no second tenant; the agent of a path and of a tenant go together', async () => {
    for (const [path, params] of [
      ['/a2a/agents/csv', { id: 't', tenant: 'csv' }],
      ['/a2a/agents/csv', { id: 't' }],
      ['/a2a', { id: 't', tenant: 'csv' }],
    ] as const) {
      expect((await bindings.rpc('GetTask', params, { path }))['error']).toBeUndefined();
      expect(bindings.calls.at(-1)!.arguments[2].agentId).toBe('csv');
    }
    expect(
      (await bindings.rpc('tasks/get', { id: 't' }, { path: '/a2a/agents/csv' }))['error'],
    ).toBeUndefined();
    expect(bindings.calls.at(-1)!.arguments[2].agentId).toBe('csv');
  });

  it('it has no place for the seq of an event; 0.3 streams show it as the SSE id all the same', async () => {
    const update = (seq: number): Json => ({
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text: String(seq) }] },
      },
    });
    bindings.on('tasks.sendStream', () => streamOf(update(1), update(2), update(3)));
    const { text } = await bindings.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/stream',
      params: { message: MESSAGE },
    });
    expect(
      eventsOf(text).map(({ id, data }) => [id, data['result'].artifact.parts[0].text]),
    ).toEqual([
      ['1', '1'],
      ['2', '2'],
      ['3', '3'],
    ]);
  });

  it('it reads an absent blocking as false; the hub waits unless blocking is false', async () => {
    const immediately = async (configuration: Json): Promise<unknown> => {
      await bindings.rpc('message/send', { message: MESSAGE, configuration });
      return bindings.calls.at(-1)!.arguments[0].returnImmediately;
    };
    expect(await immediately(undefined)).toBe(false);
    expect(await immediately({ acceptedOutputModes: [] })).toBe(false);
    expect(await immediately({ blocking: true })).toBe(false);
    expect(await immediately({ blocking: false })).toBe(true);
  });

  it('it keeps the first of several push schemes; the hub keeps all', async () => {
    const authentication = { schemes: ['Unknown', 'Bearer', 'Basic'], credentials: 'secret' };
    const config = { url: 'https://example.com/hook', authentication };
    await bindings.rpc('tasks/pushNotificationConfig/set', {
      taskId: 't',
      pushNotificationConfig: config,
    });
    expect(bindings.calls[0]!.arguments[2]).toEqual(authentication);
    await bindings.rpc('message/send', {
      message: MESSAGE,
      configuration: { pushNotificationConfig: config },
    });
    expect(bindings.calls[1]!.operation).toBe('push.inline');
    expect(bindings.calls[1]!.arguments[2]).toEqual(authentication);
  });

  it('a 0.2.x client names one scheme under other members; the hub keeps them as they are', async () => {
    const authentication = { type: 'http', scheme: 'bearer', credentials: 'secret' };
    await bindings.rpc('tasks/pushNotification/set', {
      id: 't',
      pushNotificationConfig: { url: 'https://example.com/hook', authentication },
    });
    expect(bindings.calls[0]!.arguments[2]).toEqual(authentication);
  });

  it('Nest answers a POST with 201 and knows no a2a+json; the hub answers 200 and reads it', async () => {
    for (const path of ['/a2a', '/a2a/', '/']) {
      const { status, body } = await bindings.post(
        { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } },
        { path, headers: { 'content-type': 'application/a2a+json' } },
      );
      expect(status).toBe(200);
      expect(body['result']).toBeDefined();
    }
  });
});

// What the harness above cannot see, through a hub that listens at every binding.
describe('known of the SDK 1.3, at every binding', () => {
  const names = ['JSON-RPC', 'HTTP+JSON', 'gRPC'].flatMap((binding) =>
    ['1.0', '0.3'].map((version) => `${binding} ${version}`),
  );
  let hub: Hub;
  let bindings: Binding[];
  let agent: ScriptedAgent;

  beforeAll(async () => {
    agent = await ScriptedAgent.start({ live: { askAfter: 0 } });
    hub = await startHub({
      config: { grpc: { port: -1 }, routing: { defaultAgent: 'asking' } },
    });
    await hub.registerAgent(agent.url, { id: 'asking' });
    bindings = allBindings(hub);
  });

  afterAll(async () => {
    for (const binding of bindings) binding.close();
    await hub.close();
    await agent.close();
  });

  const bindingOf = (name: string): Binding => bindings.find((binding) => binding.name === name)!;

  it.each(names)('%s checks required fields before anything is stored', async (name) => {
    const before = agent.calls.length;
    const refused = bindingOf(name).send({ parts: [] });
    await expect(refused).rejects.toMatchObject({ refusal: { reason: 'INVALID_PARAMS' } });
    expect(agent.calls).toHaveLength(before);
  });

  it.each(names)('%s waits for the agent when nothing is said of waiting', async (name) => {
    await bindingOf(name).send({ agentId: 'asking' });
    const { tasks } = (await hub.rpc('ListTasks', { pageSize: 1 })) as JsonObject;
    expect(tasks[0].status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it.each(names)('%s: a subscription does not cancel, a cancel does', async (name) => {
    const { task } = await hub.send('a question');
    const id = String((task as JsonObject)['id']);
    const canceled = (): number => agent.callsOf('CancelTask').length;
    const before = canceled();
    const subscribed =
      bindingOf(name).binding === 'gRPC' ? bindingOf(name).subscribe(id) : firstOf(name, id);
    expect(JSON.stringify(await subscribed)).toContain(id);
    expect(canceled()).toBe(before);
    await bindingOf(name).cancel(id);
    await eventually(() => expect(canceled()).toBe(before + 1));
  });

  it.each(['1.0', '0.3'])('HTTP+JSON %s answers a POST with 200', async (version) => {
    const base = version === '1.0' ? '/a2a' : '/a2a/v1';
    const message =
      version === '1.0'
        ? { messageId: 'post', role: 'ROLE_USER', parts: [{ text: 'x' }] }
        : { ...MESSAGE, messageId: 'post' };
    for (const type of ['application/json', 'application/a2a+json']) {
      const { status } = await hub.post(`${base}/message:send`, JSON.stringify({ message }), {
        version: null,
        headers: { 'content-type': type },
      });
      expect(status).toBe(200);
    }
  });

  /** The first event of a subscription over HTTP, whose stream stays open. */
  async function firstOf(name: string, id: string): Promise<Json> {
    const { binding, version } = bindingOf(name);
    if (binding === 'JSON-RPC') {
      const method = version === '1.0' ? 'SubscribeToTask' : 'tasks/resubscribe';
      const stream = await hub.stream(method, { id }, { version: null });
      const event = await stream.next();
      stream.close();
      return event!.data;
    }
    const base = version === '1.0' ? '/a2a' : '/a2a/v1';
    const abort = new AbortController();
    const response = await fetch(`${hub.url}${base}/tasks/${id}:subscribe`, {
      headers: { authorization: `Bearer ${await hub.key()}` },
      signal: abort.signal,
    });
    const { value } = await response.body!.getReader().read();
    abort.abort();
    return Buffer.from(value as Uint8Array).toString();
  }
});

/** Where a point is tested at a binding, or towards an agent, beside the tests above: file and title. */
type Places = Readonly<Record<string, readonly (readonly [file: string, title: string])[]>>;

const ELSEWHERE: Readonly<Record<string, Places>> = {
  'bad JSON': {
    'HTTP+JSON 1.0': [['rest-v1-requests', '%j is no message: %s']],
    'HTTP+JSON 0.3': [['rest-v0-refusals', 'for a body of %s']],
  },
  'required fields and types': {
    'HTTP+JSON 1.0': [['rest-v1-requests', 'names the fields at fault, as JSON-RPC does']],
    'HTTP+JSON 0.3': [['rest-v0-refusals', 'name the field as their form calls it']],
    'gRPC 1.0': [['grpc-v1', 'with %s is INVALID_ARGUMENT that names the field']],
    'gRPC 0.3': [['grpc-v0', 'with %s is INVALID_ARGUMENT that names the field']],
  },
  'the agent by tenant or sub-path': {
    'HTTP+JSON 1.0': [['rest-v1', 'reaches an agent by %s']],
    'gRPC 1.0': [['grpc-v1', 'names its agent by tenant']],
  },
  'the seq of an event as its SSE id': {
    'HTTP+JSON 1.0': [
      ['rest-v1-answers', 'stream bare StreamResponses, one line each, with their seq as id'],
    ],
    'HTTP+JSON 0.3': [
      ['rest-v0-routes', 'writes an event on one line of data, with a space and its seq'],
    ],
  },
  'absent 0.x blocking waits': {
    'HTTP+JSON 0.3': [
      ['rest-v0-routes', 'waits, unless the request says otherwise in the way of its form'],
    ],
    'gRPC 0.3': [
      ['grpc-v0', 'waits without a configuration, as Go leaves it out, and with blocking'],
      ['grpc-v0', 'does not wait with a configuration that does not say blocking'],
    ],
  },
  'all schemes of a 0.x push config': {
    'HTTP+JSON 0.3': [['rest-v0-routes', 'hands all schemes of a push config on, in either form']],
  },
  'subscribe never cancels': {
    'HTTP+JSON 1.0': [['rest-v1-routes', '%s: a subscribe never cancels, whatever the id']],
    'HTTP+JSON 0.3': [['rest-v0-routes', '%s: a subscribe never cancels, whatever the id']],
  },
  'application/a2a+json is read': {
    'HTTP+JSON 1.0': [
      ['rest-v1-requests', 'may be application/json or application/a2a+json; another type is 415'],
    ],
  },
  'a card of 0.2.5 is called in 0.3': {
    agents: [['agent-client', 'speaks 0.3 to an agent whose card is of version 0.2.5']],
  },
  'acceptedOutputModes always sent to 0.x': {
    agents: [['agent-client', 'always sends acceptedOutputModes and says whether it waits']],
  },
  'a push config is never forwarded': {
    agents: [['agent-client', 'never sends a push config']],
  },
  'an event over 4 MiB is a cut stream': {
    agents: [['agent-misbehaviour', 'takes an event over 16 MiB for a cut stream']],
  },
  'gRPC names are resolved by the hub, and calls are secure': {
    agents: [
      [
        'egress-grpc',
        'connects to what the resolver of the hub gives, under the name that was asked for',
      ],
      ['egress-grpc', 'does not connect to a name that was public when it was looked up first'],
      [
        'egress-grpc',
        'speaks TLS to an address without a scheme, unless plain calls to it are allowed',
      ],
    ],
  },
};

describe.each(Object.entries(ELSEWHERE))('known of the SDK 1.3: %s', (_point, places) => {
  const all = Object.entries(places).flatMap(([binding, tests]) =>
    tests.map(([file, title]) => [binding, file, title] as const),
  );

  it.each(all)('%s is tested in %s: "%s"', (_binding, file, title) => {
    const text = readFileSync(join(import.meta.dirname, `${file}.e2e-spec.ts`), 'utf8');
    expect(titlesOf(text)).toContain(title);
  });
});

/** The titles of the tests that a file runs: of `it(…)` and `it.each(…)(…)`, not of those left out. */
function titlesOf(text: string): string[] {
  const file = ts.createSourceFile('tests.ts', text, ts.ScriptTarget.Latest, true);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title, body] = node.arguments;
      const isTest = /^it(\.each\b.*)?$/s.test(node.expression.getText());
      if (isTest && body && title && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return titles;
}
