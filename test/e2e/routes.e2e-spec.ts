import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';

const PATH = '/api/v1/routes:dry-run';
let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
  for (const [id, tags, priority] of [
    ['csv', ['csv', 'data'], 0],
    ['code', ['code', 'data'], 5],
  ] as const) {
    const added = await hub.admin('POST', '/api/v1/agents', {
      id,
      priority,
      card: {
        name: id,
        description: id,
        version: '1.0.0',
        supportedInterfaces: [
          { url: `http://127.0.0.1:9/${id}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
        capabilities: {},
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [{ id: 'work', name: 'Work', description: 'Works', tags }],
      },
    });
    expect(added.status).toBe(201);
  }
});

afterAll(async () => {
  await hub?.close();
});

const dryRun = (body: unknown): Promise<HttpAnswer> => hub.admin('POST', PATH, body);

describe('a dry run of the routing', () => {
  it('answers the route of bare wishes, with its reasons', async () => {
    const { status, body } = await dryRun({ tags: ['DATA'], strategy: 'all', deadlineSeconds: 2 });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        reason: 'tags',
        strategy: 'all',
        require: 'all',
        deadlineMs: 2000,
        chosen: [
          { agentId: 'code', skillId: 'work', why: 'Its skill "work" carries data. Priority 5.' },
          { agentId: 'csv', skillId: 'work', why: 'Its skill "work" carries data.' },
        ],
        skipped: [],
      },
    });
  });

  it('answers the route of a message as it would be sent', async () => {
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'hello' }],
      metadata: { 'urn:a2a-hub:routing:v1': { skillId: 'csv.work' } },
    };
    const { body } = await dryRun({ message, metadata: { agentId: 'csv' } });
    expect(body).toMatchObject({ reason: 'agent', chosen: [{ agentId: 'csv', skillId: 'work' }] });
  });

  it('answers for the address and for the agents of a context', async () => {
    expect((await dryRun({ tenant: 'csv' })).body).toMatchObject({ chosen: [{ agentId: 'csv' }] });
    expect((await dryRun({ affinity: ['code'] })).body).toMatchObject({
      reason: 'affinity',
      chosen: [{ agentId: 'code' }],
    });
  });

  it('rejects what has no route, listing the skills there are', async () => {
    const { status, body } = await dryRun({ tags: ['music'] });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).toContain('code.work, csv.work');
  });

  it.each<[object, string]>([
    [{ tags: [] }, 'tags'],
    [{ tags: 'csv' }, 'tags'],
    [{ strategy: 'random' }, 'strategy'],
    [{ maxAgents: 0 }, 'maxAgents'],
    [{ deadlineSeconds: -1 }, 'deadlineSeconds'],
    [{ message: 'hello' }, 'message'],
    [{ unknown: 1 }, 'unknown'],
    [{ metadata: { 'urn:a2a-hub:routing:v1': { match: 'some' } } }, 'match'],
  ])('refuses %j, naming the field', async (body, field) => {
    const answer = await dryRun(body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is for callers of the hub only', async () => {
    const answer = await fetch(hub.url + PATH, { method: 'POST' });
    expect(answer.status).toBe(401);
  });
});
