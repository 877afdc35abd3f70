import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;
/** A caller whose id the hub has made. */
let id: string;
let key: string;

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start()]);
  await hub.registerAgent(agent.url, { id: 'agent' });
  const made = await hub.admin('POST', '/api/v1/keys', {
    name: 'nightly jobs',
    organization: 'acme',
    scopes: ['a2a', 'tasks:organization'],
  });
  expect(made.status).toBe(201);
  ({ principalId: id, key } = made.body as { principalId: string; key: string });
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

const read = async (path: string, by?: string): Promise<Json> => {
  const { status, body } = await hub.admin('GET', path, undefined, by);
  expect(status).toBe(200);
  return body;
};

describe('what people know a caller as', () => {
  it('stands beside its id in principals, tasks, their story and the audit log', async () => {
    const task = await hub.submit('go', { tenant: 'agent' }, { key });
    const named = { principalId: id, principalName: 'nightly jobs' };
    const path = `/api/v1/tasks/${String(task['id'])}`;
    for (const by of [undefined, key]) {
      expect(await read(path, by)).toMatchObject(named);
      expect((await read('/api/v1/tasks', by))['items']).toMatchObject([named]);
      expect(JSON.stringify(await read(`${path}/explain`, by))).toContain(
        `The task was begun by nightly jobs (${id}) of the organization acme.`,
      );
    }
    expect(await read(`/api/v1/principals/${id}`)).toMatchObject({ name: 'nightly jobs' });
    const refused = await hub.admin('GET', '/api/v1/policies', undefined, key);
    expect(refused.status).toBe(403);
    const log = await read(`/api/v1/audit?principal=${id}`);
    expect(log).toMatchObject({ names: [{ id, name: 'nightly jobs' }] });
    for (const entry of log['items'] as JsonObject[]) {
      expect(JSON.stringify(entry)).not.toContain('nightly jobs');
    }
  });

  it('is its display name once it has one', async () => {
    await hub.admin('PATCH', `/api/v1/principals/${id}`, { displayName: 'Reports <b>' });
    expect((await read('/api/v1/tasks'))['items']).toMatchObject([
      { principalName: 'Reports <b>' },
    ]);
    expect(await read(`/api/v1/audit?principal=${id}`)).toMatchObject({
      names: [{ id, name: 'Reports <b>' }],
    });
  });

  it('stands beside its id in limits, usage, the overview, exports and deletions', async () => {
    const named = { principal: id, principalName: 'Reports <b>' };
    const limit = await hub.admin('PUT', '/api/v1/limits/of-reports', {
      principal: id,
      openTasks: 1,
    });
    expect(limit.body).toMatchObject(named);
    expect(await read('/api/v1/limits')).toMatchObject({ items: [named] });
    expect(await read('/api/v1/limits/of-reports')).toMatchObject(named);
    expect(await read('/api/v1/usage/organizations/acme/principals')).toMatchObject({
      items: [{ principalId: id, principalName: 'Reports <b>' }],
    });
    const kept = await hub.admin('POST', '/api/v1/data/exports', { principal: id });
    expect(kept.body).toMatchObject({ ...named, requestedBy: 'admin', requestedByName: null });
    expect(await read('/api/v1/data/exports')).toMatchObject({ items: [named] });
  });

  it('is that of the operator that canceled or retried, for those that see all tasks', async () => {
    await hub.admin('POST', '/api/v1/principals', {
      ...{ id: 'night-shift', organization: 'ops', displayName: 'The night shift' },
    });
    const operator = await hub.admin('POST', '/api/v1/keys', {
      ...{ name: 'night', principal: 'night-shift', scopes: ['tasks:all'] },
    });
    const { id: task } = (await hub.submit('go', { tenant: 'agent' }, { key })) as { id: string };
    await hub.waitForTask(task, 'TASK_STATE_COMPLETED', 10_000, { key });
    const retried = await hub.admin(
      'POST',
      `/api/v1/tasks/${task}:retry`,
      undefined,
      operator.body['key'] as string,
    );
    const by = { principalId: 'night-shift', principalName: 'The night shift' };
    expect(retried.body).toMatchObject({ retryOf: { taskId: task, by } });
    const path = `/api/v1/tasks/${String(retried.body['id'])}`;
    expect(await read(path)).toMatchObject({ retryOf: { by } });
    expect(await read(path, key)).toMatchObject({
      retryOf: { by: { ...by, principalName: null } },
    });
    const story = async (by?: string) => JSON.stringify(await read(`${path}/explain`, by));
    expect(await story()).toContain('at the request of the operator The night shift (night-shift)');
    expect(await story(key)).toContain('at the request of the operator night-shift.');
    // A principal that is deleted has no name any more; its id stays.
    await hub.admin('DELETE', `/api/v1/keys/${String(operator.body['id'])}`);
    await hub.admin('POST', '/api/v1/principals/night-shift:disable', {});
    const deleted = await hub.admin('DELETE', '/api/v1/principals/night-shift');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await read(path)).toMatchObject({ retryOf: { by: { ...by, principalName: null } } });
  });
});
