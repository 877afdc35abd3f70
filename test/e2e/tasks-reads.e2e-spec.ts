import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../src/auth/index.js';
import { TaskState, type Task } from '../../src/protocol/a2a.js';
import { FakeAgent } from '../support/fake-agents.js';
import { FakeClock } from '../support/fake-clock.js';
import { eventually } from '../support/eventually.js';
import { ALICE, artifactTexts, BOB, HubTasks } from '../support/hub-tasks.js';

let hub: HubTasks;
beforeEach(async () => {
  hub = await HubTasks.start({ agents: [new FakeAgent('a', answer), new FakeAgent('b', answer)] });
});
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

function answer(turn: FakeAgent['turn']): void {
  if (turn.text === 'ask') return turn.ask('who?');
  turn.working('one');
  turn.chunk(turn.text, { last: true });
  return turn.completed('two');
}

const list = (params: object = {}, call: object = {}): ReturnType<HubTasks['service']['list']> =>
  hub.service.list(params, hub.request('', call));
const ids = async (params: object = {}, call: object = {}): Promise<string[]> =>
  (await list(params, call)).tasks.map(({ id }) => id);

describe('GetTask', () => {
  it('gives the whole history, none of it, or the newest of it', async () => {
    const { id } = await hub.send('go');
    const lengths = [undefined, 0, 1, 100].map(
      async (n) => (await hub.service.get(id, n, hub.request(''))).history.length,
    );
    expect(await Promise.all(lengths)).toEqual([2, 0, 1, 2]);
    const [newest] = (await hub.service.get(id, 1, hub.request(''))).history;
    expect(JSON.stringify(newest)).toContain('one');
  });

  it('finds nothing for a stranger, nor by another agent than the task has', async () => {
    const { id } = await hub.send('go');
    const failure = (call: object): Promise<unknown> =>
      hub.service.get(id, undefined, hub.request('', call)).catch((error: unknown) => error);
    const unknown = await hub.service
      .get('x', undefined, hub.request(''))
      .catch((error: unknown) => error);
    for (const call of [
      { principal: BOB },
      { agentId: 'b' },
      { principal: { ...ALICE, organization: 'x' } },
    ]) {
      expect({ ...((await failure(call)) as object), metadata: {} }).toEqual({
        ...(unknown as object),
        metadata: {},
      });
    }
    expect((await hub.service.get(id, undefined, hub.request('', { agentId: 'a' }))).id).toBe(id);
  });

  it("shows the organization's tasks to a principal with that scope", async () => {
    const { id } = await hub.send('go');
    const auditor: Principal = { ...BOB, scopes: new Set(['a2a', 'tasks:organization']) };
    expect((await hub.service.get(id, undefined, hub.request('', { principal: auditor }))).id).toBe(
      id,
    );
    const elsewhere: Principal = { ...auditor, organization: 'other' };
    await expect(
      hub.service.get(id, undefined, hub.request('', { principal: elsewhere })),
    ).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});

describe('ListTasks', () => {
  it('pages through all tasks, newest first, each once', async () => {
    const sent: Task[] = [];
    for (let n = 0; n < 7; n++) sent.push(await hub.send(String(n)));
    await hub.send('theirs', { principal: BOB });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 3, pageToken });
      expect(page).toMatchObject({ totalSize: 7, pageSize: 3 });
      seen.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(sent.map(({ id }) => id).reverse());
  });

  it('filters by context, state, time and agent', async () => {
    const done = await hub.send('go');
    const requested = await hub.send('ask', { to: ['b'] });
    expect(await ids({ contextId: done.contextId })).toEqual([done.id]);
    expect(await ids({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).toEqual([requested.id]);
    expect(await ids({ statusTimestampAfter: requested.status?.timestamp })).toContain(
      requested.id,
    );
    expect(await ids({ statusTimestampAfter: '2099-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({}, { agentId: 'b' })).toEqual([requested.id]);
    expect(await ids({}, { agentId: 'nobody' })).toEqual([]);
  });

  it('shows artifacts only when asked to, and as much history as asked for', async () => {
    await hub.send('go');
    const plain = await list();
    expect(plain.tasks[0]).toMatchObject({ artifacts: [] });
    expect(plain.tasks[0]?.history).toHaveLength(2);
    const full = await list({ includeArtifacts: true, historyLength: 0 });
    expect(full.tasks.flatMap(artifactTexts)).toEqual(['go']);
    expect(full.tasks[0]?.history).toEqual([]);
  });

  it('takes 0 for the default page size, and refuses a state that is none', async () => {
    expect((await list({ pageSize: 0 })).pageSize).toBe(50);
    expect((await list({})).pageSize).toBe(50);
    await expect(list({ status: 99 })).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
  });

  it('refuses a token that is forged, or of another filter or caller', async () => {
    for (let n = 0; n < 3; n++) await hub.send(String(n));
    const { nextPageToken: token } = await list({ pageSize: 1 });
    const [place = '', signature = ''] = token.split('.');
    const moved = Buffer.from(
      Buffer.from(place, 'base64url').toString().replace('[', '[1'),
    ).toString('base64url');
    const tries: [object, object?][] = [
      [{ pageToken: 'nonsense' }],
      [{ pageToken: `${moved}.${signature}` }],
      [{ pageToken: `${place}.${'A'.repeat(22)}` }],
      [{ pageToken: token, contextId: 'other' }],
      [{ pageToken: token }, { principal: BOB }],
    ];
    for (const [params, call] of tries) {
      await expect(list(params, call)).rejects.toMatchObject({
        reason: 'INVALID_PARAMS',
        violations: [expect.objectContaining({ field: 'pageToken' })],
      });
    }
    expect(await ids({ pageSize: 2, pageToken: token })).toHaveLength(2);
  });
});

describe('the cleanup', () => {
  it('forgets keys that hold no more', async () => {
    const clock = new FakeClock();
    await hub.runner.stop();
    await hub.database.close();
    hub = await HubTasks.start({ agents: [new FakeAgent('a', answer)], clock });
    const pending = hub.send('go', { idempotencyKey: 'k' });
    await eventually(() => hub.agents.get('a')?.turn);
    await pending;
    await hub.runner.stop();
    await clock.advance(31 * 24 * 60 * 60 * 1000);
    await hub.cleanup.cleanUp();
    expect(await hub.database.read('SELECT * FROM idempotency_keys')).toEqual([]);
  });

  it('forgets all that is due at once, however much', async () => {
    await hub.database.write(function* (tx) {
      for (let n = 0; n < 2500; n += 1) {
        yield* tx.run(
          `INSERT INTO idempotency_keys (principal_id, key, task_id, fingerprint, expires_at)
           VALUES ('p', ?, 't', 'f', 1)`,
          [`k${n}`],
        );
      }
    });
    await hub.cleanup.cleanUp();
    expect(await hub.database.read('SELECT * FROM idempotency_keys')).toEqual([]);
  });
});
