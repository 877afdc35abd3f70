import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSdkAgent, type RunningAgent } from '../support/agents.js';
import { type CallOptions } from '../support/hub-client.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';

const OURS = 'urn:a2a-hub:routing:v1';
const GEO = 'https://x.example/ext/geo/v1';
const CITE = 'https://x.example/ext/cite/v1';
const MUST = 'https://x.example/ext/must/v1';

const extension = (uri: string, required = false) => ({
  uri,
  required,
  description: '',
  params: undefined,
});

describe('extensions', () => {
  let hub: Hub;
  const agents: RunningAgent[] = [];
  let geo: RunningAgent;
  let old: RunningAgent;
  let strict: RunningAgent;

  beforeAll(async () => {
    hub = await startHub();
    geo = await start('geo', '1.0', [extension(GEO), extension(CITE)]);
    old = await start('old', '0.3', [extension(GEO)]);
    strict = await start('strict', '1.0', [extension(MUST, true)]);
    await start('plain', '1.0', []);
  });

  afterAll(async () => {
    await hub.close();
    await Promise.all(agents.map((agent) => agent.close()));
  });

  async function start(
    id: string,
    version: '1.0' | '0.3',
    extensions: ReturnType<typeof extension>[],
  ): Promise<RunningAgent> {
    const capabilities = { streaming: true, pushNotifications: false, extensions };
    const agent = await startSdkAgent({
      name: id,
      version,
      skills: [{ id: 'work', tags: id === 'geo' || id === 'strict' ? ['shared'] : [id] }],
      card: { capabilities: { ...capabilities, extendedAgentCard: false } },
      execute: (turn) => {
        turn.task().working();
        if (turn.text === 'ask') turn.askForInput('what?');
        else turn.complete();
      },
    });
    agents.push(agent);
    const legacy = version === '0.3' ? await legacyCard(agent.url, extensions) : undefined;
    const source = legacy ? { card: legacy } : { cardUrl: agent.url };
    const answer = await hub.admin('POST', '/api/v1/agents', { id, ...source });
    expect(answer.status).toBe(201);
    return agent;
  }

  /** Extensions of a 0.x card, which the test agent does not serve. */
  async function legacyCard(url: string, extensions: unknown): Promise<JsonObject> {
    const answer = await fetch(`${url}/.well-known/agent-card.json`);
    const card = (await answer.json()) as JsonObject;
    return { ...card, capabilities: { ...(card['capabilities'] as JsonObject), extensions } };
  }

  const asking = (uris: string, name = 'a2a-extensions'): CallOptions => ({
    headers: { [name]: uris },
  });

  const to = (agentId: string, text = 'hi', message: JsonObject = {}) => ({
    message: userMessage(text, { metadata: { agentId }, ...message }),
  });

  const legacy = (agentId: string, more: JsonObject = {}) => ({
    message: {
      kind: 'message',
      role: 'user',
      messageId: `m-${Math.random()}`,
      parts: [{ kind: 'text', text: 'hi' }],
      metadata: { agentId },
      ...more,
    },
  });

  describe('that the client asks for', () => {
    it('get to the agent, and those it declares are active', async () => {
      const options = asking(`${GEO}, urn:not:known,${OURS}`);
      const answer = await hub.rpcRaw('SendMessage', to('geo'), options);
      expect(setOf(answer.headers['a2a-extensions'])).toEqual(setOf(`${GEO}, ${OURS}`));
      expect(sentTo(geo)['a2a-extensions']).toBe(`${GEO},urn:not:known`);
      const { id } = answer.body.result.task;
      for (const [method, active] of [
        ['GetTask', `${OURS}, ${CITE}`],
        ['ListTasks', OURS],
      ] as const) {
        const read = await hub.rpcRaw(
          method,
          method === 'GetTask' ? { id } : {},
          asking(`${CITE}, ${OURS}, urn:not:known`),
        );
        expect(setOf(read.headers['a2a-extensions'])).toEqual(setOf(active));
      }
    });

    it('are active for a stream from its first byte on', async () => {
      const stream = await hub.stream('SendStreamingMessage', to('geo'), asking(CITE));
      expect(stream.headers['a2a-extensions']).toBe(CITE);
      stream.close();
      const none = await hub.stream('SendStreamingMessage', to('plain'), asking(CITE));
      expect(none.headers['a2a-extensions']).toBeUndefined();
      none.close();
    });

    it('count as well when the message names them', async () => {
      const answer = await hub.rpcRaw('SendMessage', to('geo', 'hi', { extensions: [GEO] }));
      expect(answer.headers['a2a-extensions']).toBe(GEO);
      expect(sentTo(geo)['a2a-extensions']).toBe(GEO);
      expect(messageSentTo(geo)['extensions']).toEqual([GEO]);
    });

    it('go by the other name to and from 0.x', async () => {
      const before = { ...asking(GEO, 'x-a2a-extensions'), version: null };
      const toModern = await hub.rpcRaw('message/send', legacy('geo'), before);
      expect(toModern.headers['x-a2a-extensions']).toBe(GEO);
      expect(toModern.headers['a2a-extensions']).toBeUndefined();
      expect(sentTo(geo)['a2a-extensions']).toBe(GEO);
      const toLegacy = await hub.rpcRaw('SendMessage', to('old'), asking(GEO));
      expect(toLegacy.headers['a2a-extensions']).toBe(GEO);
      expect(sentTo(old)['x-a2a-extensions']).toBe(GEO);
      const stream = await hub.stream('message/stream', legacy('old'), before);
      expect(stream.headers['x-a2a-extensions']).toBe(GEO);
      stream.close();
    });

    it('are those of each message of a task', async () => {
      const { task } = await hub.send('ask', to('geo', 'ask'), asking(GEO));
      const taskId = (task as JsonObject)['id'] as string;
      const answer = { message: userMessage('this', { taskId }), metadata: { 'x-second': [2] } };
      const followed = await hub.rpcRaw('SendMessage', answer, asking(CITE));
      expect(followed.headers['a2a-extensions']).toBe(CITE);
      expect(sentTo(geo)['a2a-extensions']).toBe(CITE);
      const { params } = lastCallOf(geo).body as { params: JsonObject };
      expect(params['metadata']).toMatchObject({ 'x-second': [2] });
    });
  });

  describe('that an agent requires', () => {
    const required = {
      code: -32008,
      data: [{ reason: 'EXTENSION_SUPPORT_REQUIRED', metadata: { extensions: MUST } }],
    };

    it('keep it from those who do not ask for it', async () => {
      const calls = strict.calls.length;
      await expect(hub.rpc('SendMessage', to('strict'))).rejects.toMatchObject(required);
      await expect(hub.stream('SendStreamingMessage', to('strict'))).rejects.toMatchObject(
        required,
      );
      const direct = { path: '/a2a/agents/strict', ...asking(GEO) };
      const message = { message: userMessage('hi') };
      await expect(hub.rpc('SendMessage', message, direct)).rejects.toMatchObject(required);
      await expect(
        hub.rpc('message/send', legacy('strict'), { version: null }),
      ).rejects.toMatchObject({ code: -32008, data: { metadata: { extensions: MUST } } });
      expect(strict.calls.length).toBe(calls);
    });

    it('let it be asked by those who do, by header or in the message', async () => {
      const answer = await hub.rpcRaw('SendMessage', to('strict'), asking(MUST));
      expect([answer.body.result.task.status.state, answer.headers['a2a-extensions']]).toEqual([
        'TASK_STATE_COMPLETED',
        MUST,
      ]);
      const named = await hub.rpcRaw('SendMessage', to('strict', 'hi', { extensions: [MUST] }));
      expect(named.body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
      const before = { ...asking(MUST, 'x-a2a-extensions'), version: null };
      const legacyAnswer = await hub.rpcRaw('message/send', legacy('strict'), before);
      expect(legacyAnswer.body.result.status.state).toBe('completed');
    });

    it('are asked for by each message of its tasks', async () => {
      const { task } = await hub.send('ask', to('strict', 'ask'), asking(MUST));
      const answer = { message: userMessage('this', { taskId: (task as JsonObject)['id'] }) };
      await expect(hub.rpc('SendMessage', answer)).rejects.toMatchObject(required);
      const { task: after } = (await hub.rpc('SendMessage', answer, asking(MUST))) as JsonObject;
      expect(((after as JsonObject)['status'] as JsonObject)['state']).toBe('TASK_STATE_COMPLETED');
    });

    it('go with the cancel of its tasks as well, like the hubs that were passed', async () => {
      const { task } = await hub.send('ask', to('strict', 'ask'), asking(MUST));
      await hub.rpc('CancelTask', { id: (task as JsonObject)['id'] });
      const cancel = await eventually(() => {
        const found = strict.calls.find(({ body }) => body['method'] === 'CancelTask');
        expect(found).toBeDefined();
        return found!;
      });
      expect(cancel.headers).toMatchObject({
        'a2a-extensions': MUST,
        'a2a-hub-hops': expect.stringMatching(/^[\w-]+$/),
      });
    });

    it('show in a dry run', async () => {
      const options = { tags: ['shared'], strategy: 'all' };
      const dryRun = (more: object) =>
        hub.admin('POST', '/api/v1/routes:dry-run', { ...options, ...more });
      const without = (await dryRun({})).body;
      expect(without.chosen.map(({ agentId }: JsonObject) => agentId)).toEqual(['geo']);
      expect(without.skipped).toEqual([
        expect.objectContaining({ agentId: 'strict', why: expect.stringContaining(MUST) }),
      ]);
      const requested = (await dryRun({ extensions: [MUST] })).body;
      expect(requested.chosen.map(({ agentId }: JsonObject) => agentId)).toEqual(['geo', 'strict']);
      const alone = await dryRun({ agentId: 'strict' });
      expect([alone.status, alone.text.includes(MUST)]).toEqual([400, true]);
    });
  });

  const lastCallOf = (agent: RunningAgent) => agent.calls.at(-1)!;
  const sentTo = (agent: RunningAgent) => lastCallOf(agent).headers;
  const messageSentTo = (agent: RunningAgent) =>
    (lastCallOf(agent).body as { params: { message: JsonObject } }).params.message;
  const setOf = (header: unknown) => new Set(String(header).split(', '));
});
