import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../src/audit/index.js';
import { type Hub, startHub } from '../support/app.js';
import { EventFeedReader } from '../support/event-feed.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

describe('the events of a task', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  const readers: EventFeedReader[] = [];

  beforeAll(async () => {
    agent = await ScriptedAgent.start({ live: { everyMs: 20 } });
    hub = await startHub({ config: { server: { maxOpenCalls: 8 } } });
    await hub.registerAgent(agent.url, { id: 'worker' });
  });
  afterAll(async () => {
    await Promise.all(readers.map((each) => each.close()));
    await hub?.close();
    await agent?.close();
  });

  const submit = async (key?: string): Promise<string> => {
    const message = { metadata: { agentId: 'worker' } };
    const task = await hub.submit('go', { message }, key === undefined ? {} : { key });
    return String(task['id']);
  };
  const path = (id: string, query = ''): string => `/api/v1/tasks/${id}/events${query}`;
  const follow = async (id: string, headers: Record<string, string> = {}, query = '') => {
    const reader = await EventFeedReader.open(`${hub.url}${path(id, query)}`, {
      authorization: `Bearer ${hub.adminKey}`,
      accept: 'text/event-stream',
      ...headers,
    });
    readers.push(reader);
    return reader;
  };
  const seqsOf = (reader: EventFeedReader): number[] =>
    reader.events.filter(({ event }) => event === 'event').map(({ data }) => data.seq);

  it('come as they happen, each once, with the delegations as they change, until the end', async () => {
    const id = await submit();
    const reader = await follow(id);
    await eventually(() => expect(reader.ended).toBe(true), 20_000);
    const { events } = reader;
    expect(events[0]).toMatchObject({ event: 'task', data: { id, delegations: [{}] } });
    expect(events.at(-1)).toMatchObject({ event: 'end', id: String(seqsOf(reader).at(-1)) });
    const seqs = seqsOf(reader);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const states = events
      .filter(({ event }) => event === 'task')
      .map(({ data }) => data.delegations[0].state);
    expect(states.at(-1)).toBe('completed');
    const listed = await hub.admin('GET', path(id, '?limit=200'));
    expect(listed.body).toMatchObject({ next: seqs.length, hasMore: false });
    expect(listed.body.items).toEqual(
      events.filter(({ event }) => event === 'event').map(({ data }) => data),
    );
    const later = await follow(id, { 'last-event-id': String(seqs.length - 1) }, '?after=0');
    await eventually(() => expect(later.ended).toBe(true));
    expect(seqsOf(later)).toEqual([seqs.length]);
  });

  it('of a task of another principal are noted in the audit log, once for who reads on and on', async () => {
    const [owner, reader] = [
      await hub.createKey({ scopes: ['a2a', 'tasks:organization'] }),
      await hub.createKey({ scopes: ['tasks:organization'] }),
    ];
    const id = await submit(owner);
    await hub.waitForTask(id, undefined, undefined, { key: owner });
    const entries = async () => {
      const { body } = await hub.admin('GET', `/api/v1/audit?action=tasks.events&resourceId=${id}`);
      const of = (key: string) =>
        (body.items as Json[]).filter(({ credential }) => credential === key.split('_')[1]);
      return { owner: of(owner), reader: of(reader) };
    };
    for (const key of [owner, reader]) {
      for (const query of ['?limit=1', '?limit=1&after=1']) {
        expect((await hub.get(path(id, query), { key })).status).toBe(200);
      }
      expect((await hub.get(`/api/v1/tasks/${id}`, { key })).status).toBe(200);
      await follow(id, { authorization: `Bearer ${key}` });
    }
    const found = await entries();
    expect(found.owner).toEqual([]);
    expect(found.reader).toMatchObject([
      { action: 'tasks.events', outcome: 'succeeded', resourceType: 'tasks', resourceId: id },
    ]);
  });

  it('that cannot be noted are not shown', async () => {
    const id = await submit(await hub.createKey({ scopes: ['a2a'] }));
    const key = await hub.createKey({ scopes: ['tasks:organization'] });
    const log = hub.app.get(AuditLog);
    const record = log.record.bind(log);
    log.record = () => Promise.reject(new Error('the disk is full'));
    try {
      expect((await hub.get(path(id), { key })).status).toBe(503);
      expect((await hub.get(`/api/v1/tasks/${id}`, { key })).status).toBe(503);
    } finally {
      log.record = record;
    }
    expect((await hub.get(path(id), { key })).status).toBe(200);
  });

  it('are listed in pages', async () => {
    const id = await submit();
    await hub.waitForTask(id);
    const seqs: number[] = [];
    for (let after = 0, more = true; more;) {
      const { status, body } = await hub.admin('GET', path(id, `?after=${after}&limit=2`));
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(2);
      seqs.push(...body.items.map((each: Json) => each['seq']));
      [after, more] = [body.next, body.hasMore];
    }
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect((await hub.admin('GET', path(id, '?after=-1'))).status).toBe(400);
    const wrong = await follow(id, { 'last-event-id': 'x' });
    expect(wrong.status).toBe(400);
  });

  it('are shown to who may see the task, while it may, and count as open calls', async () => {
    agent.handlers['SendStreamingMessage'] = (call) => {
      const task = agent.begin(call, { everyMs: 600_000 });
      call.event({ task: task.snapshot() });
    };
    const id = await submit();
    const scopes = ['tasks:organization'];
    const stranger = await hub.createKey({ scopes, organization: 'elsewhere' });
    const client = await hub.createKey({ scopes: ['a2a'] });
    expect((await hub.get(path(id), { key: stranger })).status).toBe(404);
    expect((await hub.get(path(id), { key: client })).status).toBe(403);
    expect((await hub.admin('GET', path('none'))).status).toBe(404);
    const key = await hub.createKey({ scopes });
    const mine = { authorization: `Bearer ${key}` };
    const reader = await follow(id, mine);
    await eventually(() => expect(seqsOf(reader).length).toBeGreaterThan(1));
    const others = await Promise.all(Array.from({ length: 10 }, () => follow(id, mine)));
    expect(new Set(others.map(({ status }) => status))).toContain(429);
    const keyId = key.split('_')[1] ?? '';
    expect((await hub.admin('DELETE', `/api/v1/keys/${keyId}`)).status).toBe(204);
    await eventually(() => expect(reader.ended).toBe(true));
    const admin = await follow(id);
    await eventually(() => expect(seqsOf(admin).length).toBeGreaterThan(1));
    await hub.admin('POST', `/api/v1/tasks/${id}:cancel`);
    await eventually(() => expect(admin.events.at(-1)?.event).toBe('end'), 20_000);
  }, 60_000);
});
