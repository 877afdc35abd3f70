import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentStore } from '../../src/agents/registry/agent-store.js';
import { type Hub, startHub } from '../support/app.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

const BEARER = 'Bearer for the first server';

describe('the credentials of an agent', () => {
  let hub: Hub;
  let one: ScriptedAgent;
  let other: ScriptedAgent;
  /** Serves the card, whose interfaces each test decides. */
  let cards: HttpListener;
  let interfaces: readonly JsonObject[];

  beforeAll(async () => {
    hub = await startHub();
    cards = await listenOnLoopback((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...one.card(), supportedInterfaces: interfaces }));
    });
  });

  beforeEach(async () => {
    one = await ScriptedAgent.start();
    other = await ScriptedAgent.start();
    interfaces = [at(one)];
  });

  afterEach(async () => {
    await hub.admin('DELETE', '/api/v1/agents/z');
    await one.close();
    await other.close();
  });

  afterAll(async () => {
    await hub.close();
    await cards.close();
  });

  const at = ({ url }: { url: string }, protocolVersion = '1.0', path = '/rpc'): JsonObject => ({
    url: `${url}${path}`,
    protocolBinding: 'JSONRPC',
    protocolVersion,
  });
  const register = (fields: JsonObject = {}) =>
    hub.registerAgent(cards.url, { id: 'z', credentials: { authorization: BEARER }, ...fields });
  const refresh = () => hub.admin('POST', '/api/v1/agents/z:refresh');
  const patch = (fields: JsonObject) => hub.admin('PATCH', '/api/v1/agents/z', fields);
  const shown = async (): Promise<Json> => (await hub.admin('GET', '/api/v1/agents/z')).body;
  const say = () => hub.send('hi', { tenant: 'z' });
  const sentTo = (agent: ScriptedAgent) => agent.calls.map((call) => call.headers.authorization);

  it('have each header once, and are bounded with those that stay', async () => {
    const refused = async (fields: JsonObject): Promise<string> => {
      const { status, body } = await patch(fields);
      expect(status).toBe(400);
      return JSON.stringify(body);
    };
    await register();
    const half = 'v'.repeat(7000);
    for (const name of ['credentials', 'cardHeaders']) {
      expect(await refused({ [name]: { 'x-a': null, 'X-A': 'w' } })).toContain('given twice');
      expect((await patch({ [name]: { 'x-a': half } })).status).toBe(200);
      expect(await refused({ [name]: { 'x-b': half } })).toContain('12288');
      expect((await patch({ [name]: { 'x-a': null, 'x-b': half } })).status).toBe(200);
    }
    const path = '/api/v1/agents/z/credentials/acme';
    const theirs = await hub.admin('PUT', path, { credentials: { 'x-a': 'v', 'X-A': 'w' } });
    expect(theirs.status).toBe(400);
  });

  it('that were stored before there were bounds stay when something else is changed', async () => {
    await register();
    const credentials = { authorization: BEARER, 'x-a': 'v'.repeat(20_000), 'x-b': '' };
    await hub.app.get(AgentStore).update('z', (agent) => ({ ...agent, credentials }));
    expect((await patch({ priority: 3 })).status).toBe(200);
    expect((await patch({ credentials: { 'x-a': null } })).status).toBe(200);
    expect(await hub.app.get(AgentStore).get('z')).toMatchObject({
      credentials: { authorization: BEARER, 'x-b': '' },
    });
  });

  describe.each([true, false])(
    'that are replaced while a call has them (streaming: %s)',
    (streaming) => {
      let strict: ScriptedAgent;
      /** What happens before a call with other credentials is refused. */
      let meanwhile: () => Promise<unknown>;
      let right: string;
      /** Whether the agent asks for more. */
      let asks: boolean;

      beforeEach(async () => {
        [right, asks] = ['Bearer new', false];
        const takes = (answer: (call: ScriptedCall) => void) => async (call: ScriptedCall) => {
          if (call.headers.authorization === right) return answer(call);
          await meanwhile();
          call.send(401, 'no', 'text/plain');
        };
        const done = (): Json => {
          const state = `TASK_STATE_${asks ? 'INPUT_REQUIRED' : 'COMPLETED'}`;
          return { task: { id: 'of-the-agent', contextId: 'c', status: { state } } };
        };
        strict = await ScriptedAgent.start({
          streaming,
          handlers: {
            SendMessage: takes((call) => call.result(done())),
            SendStreamingMessage: takes((call) => call.event(done()).end()),
          },
        });
        const credentials = { authorization: 'Bearer old' };
        await hub.registerAgent(strict.url, { id: 'z', credentials });
      });
      afterEach(() => strict.close());

      const stateOf = async (): Promise<unknown> => (await say())['task']['status']['state'];

      it('are taken for the same call', async () => {
        meanwhile = () => patch({ credentials: { authorization: right } });
        expect(await stateOf()).toBe('TASK_STATE_COMPLETED');
        expect(sentTo(strict)).toEqual(['Bearer old', right]);
      });

      it('are taken from the database where another process has stored them', async () => {
        const credentials = { authorization: right };
        meanwhile = () =>
          hub.app.get(AgentStore).update('z', (agent) => ({ ...agent, credentials }));
        expect(await stateOf()).toBe('TASK_STATE_COMPLETED');
        expect(sentTo(strict)).toEqual(['Bearer old', right]);
      });

      it('are taken where they are those of the organization', async () => {
        const path = '/api/v1/agents/z/credentials/acme';
        meanwhile = () => hub.admin('PUT', path, { credentials: { authorization: right } });
        const key = await hub.createKey({ organization: 'acme', scopes: ['a2a'] });
        const { task } = await hub.send('hi', { tenant: 'z' }, { key });
        expect(task['status']['state']).toBe('TASK_STATE_COMPLETED');
        expect(sentTo(strict)).toEqual(['Bearer old', right]);
      });

      it.each([
        ['disabled', () => patch({ enabled: false, credentials: { authorization: right } })],
        [
          'kept for others',
          () => patch({ organizations: ['other'], credentials: { authorization: right } }),
        ],
        ['deleted', () => hub.admin('DELETE', '/api/v1/agents/z')],
      ])('bring no first message to an agent that is %s by then', async (_, change) => {
        meanwhile = change;
        const key = await hub.createKey({ organization: 'acme', scopes: ['a2a'] });
        const { task } = await hub.send('hi', { tenant: 'z' }, { key });
        expect(task['status']['state']).toBe('TASK_STATE_FAILED');
        expect(sentTo(strict)).toEqual(['Bearer old']);
      });

      it('bring a further message to an agent that is disabled by then', async () => {
        asks = true;
        meanwhile = () => patch({ credentials: { authorization: right } });
        const { task } = await hub.send('hi', { tenant: 'z' });
        expect(task['status']['state']).toBe('TASK_STATE_INPUT_REQUIRED');
        right = 'Bearer newer';
        asks = false;
        meanwhile = () => patch({ enabled: false, credentials: { authorization: right } });
        const answer = await hub.send('more', { message: { taskId: task.id } });
        expect(answer.task['status']['state']).toBe('TASK_STATE_COMPLETED');
        expect(sentTo(strict)).toEqual(['Bearer old', 'Bearer new', 'Bearer new', right]);
      });

      it('are not tried twice, nor others that are refused as well', async () => {
        meanwhile = () => patch({ displayName: 'Z' });
        expect(await stateOf()).toBe('TASK_STATE_FAILED');
        expect(sentTo(strict)).toEqual(['Bearer old']);
        let n = 0;
        meanwhile = () => patch({ credentials: { authorization: `Bearer ${(n += 1)}` } });
        expect(await stateOf()).toBe('TASK_STATE_FAILED');
        expect(sentTo(strict)).toEqual(['Bearer old', 'Bearer old', 'Bearer 1']);
      });
    },
  );

  it('go to every server of the card they were given with', async () => {
    interfaces = [at({ url: 'http://127.0.0.1:1' }), at(other)];
    await register();
    await say();
    expect(sentTo(other)).toEqual([BEARER]);
    const { credentialOrigins } = await shown();
    expect(credentialOrigins).toEqual(['http://127.0.0.1:1', other.url]);
  });

  it('do not follow a card that names another server: it is not taken until they are given anew', async () => {
    await register();
    interfaces = [at(other)];
    const refused = await refresh();
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'credentials']);
    expect(refused.body.detail).toContain('not given for this server');
    expect(refused.text).not.toContain(BEARER);
    await say();
    expect([sentTo(one), sentTo(other)]).toEqual([[BEARER], []]);
    await patch({ credentials: null });
    expect((await refresh()).status).toBe(200);
    await patch({ credentials: { authorization: 'Bearer new' } });
    await say();
    expect([sentTo(one), sentTo(other)]).toEqual([[BEARER], ['Bearer new']]);
    expect((await shown()).credentialOrigins).toEqual([other.url]);
  });

  it('do not follow to a server that a refresh adds: neither when the first is dead, nor by a pin', async () => {
    await register();
    interfaces = [at(one), at(other), at(other, '0.3')];
    const { body } = await refresh();
    expect(body.interfaces.map((each: Json) => [each.chosen, each.reason])).toEqual([
      [true, 'called'],
      [false, 'the credentials were not given for this server'],
      [false, 'the credentials were not given for this server'],
    ]);
    expect(body.credentialOrigins).toEqual([one.url]);
    const pinned = await patch({ protocolVersion: '0.3' });
    expect([pinned.status, pinned.body.errors[0].field]).toEqual([400, 'credentials']);
    await one.close();
    await say();
    expect(other.calls).toEqual([]);
    await patch({ protocolVersion: '0.3', credentials: { authorization: 'Bearer both' } });
    await say();
    expect(new Set(sentTo(other))).toEqual(new Set(['Bearer both']));
  });

  it('do not follow an agent to the 0.3 address that a refresh lists', async () => {
    one.handlers['*'] = (call) => call.error(-32009, 'no');
    await register();
    interfaces = [at(one), at(other, '0.3')];
    await refresh();
    await say();
    expect(new Set(one.calls.map((call) => call.headers['a2a-version']))).toEqual(
      new Set(['1.0', '0.3']),
    );
    expect(other.calls).toEqual([]);
  });

  it('stay those for the override, whatever the card says', async () => {
    await register({ endpointOverride: `${other.url}/rpc` });
    interfaces = [at({ url: 'http://127.0.0.1:1' })];
    expect((await refresh()).status).toBe(200);
    await say();
    expect([sentTo(one), sentTo(other)]).toEqual([[], [BEARER]]);
    expect((await shown()).credentialOrigins).toEqual([other.url]);
    expect((await patch({ endpointOverride: null })).body.credentials).toEqual([]);
  });

  it('are held against gRPC when a refresh turns to it', async () => {
    await register({ credentials: { 'key-bin': 'secret' } });
    const { host } = new URL(one.url);
    interfaces = [{ url: `http://${host}`, protocolBinding: 'GRPC', protocolVersion: '1.0' }];
    const refused = await refresh();
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'credentials.key-bin']);
    expect((await shown()).endpoint.protocolBinding).toBe('JSONRPC');
  });
});

describe('an interface that the egress guard refuses', () => {
  let hub: Hub;
  let agent: ScriptedAgent;

  beforeAll(async () => {
    hub = await startHub();
    agent = await ScriptedAgent.start();
  });

  afterAll(async () => {
    await hub.close();
    await agent.close();
  });

  const inner = {
    url: 'http://169.254.169.254/latest',
    protocolBinding: 'HTTP+JSON',
    protocolVersion: '1.0',
  };
  const post = (supportedInterfaces: readonly JsonObject[], fields: JsonObject = {}) =>
    hub.admin('POST', '/api/v1/agents', {
      card: { ...agent.card(), supportedInterfaces },
      ...fields,
    });

  it.each([
    ['after', (own: JsonObject) => [own, inner]],
    ['before', (own: JsonObject) => [{ ...inner, protocolBinding: 'JSONRPC' }, own]],
  ])('is none the hub calls, and says why: %s another', async (_where, listed) => {
    const own = { url: `${agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    const { status, body } = await post(listed(own));
    expect([status, body.endpoint.url]).toEqual([201, own.url]);
    for (const interfaces of [body.interfaces, body.report.interfaces]) {
      const refused = interfaces.find((one: Json) => one.url === inner.url);
      expect([refused.chosen, refused.reason]).toEqual([
        false,
        expect.stringContaining('metadata service'),
      ]);
    }
    const pinned = await hub.admin('PATCH', `/api/v1/agents/${body.id}`, {
      protocolBinding: 'HTTP+JSON',
    });
    expect(pinned.status).toBeGreaterThanOrEqual(400);
    expect(pinned.text).not.toContain('another interface is preferred');
  });

  it('makes the card one of nobody when it has no other', async () => {
    const { status, body } = await post([inner]);
    expect([status, body.errors[0].field]).toEqual([422, 'card.supportedInterfaces']);
    expect(body.detail).toContain('endpointOverride');
  });
});
