import { expect, it } from '@jest/globals';
import { type ActivityCount, MINUTE_MS } from '../../src/observability/activity/activity.js';
import type { ActivityStore } from '../../src/observability/activity/activity-store.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** What is promised about counts of what happened. */
export function activityStoreContract(open: () => Promise<ActivityStore>): void {
  const counted = (fields: Partial<ActivityCount> = {}): ActivityCount => ({
    kind: 'tasks',
    organization: '',
    agentId: '',
    name: 'started',
    at: NOON,
    count: 1,
    totalMs: 0,
    ...fields,
  });
  const all = {
    kinds: ['tasks', 'calls'] as const,
    from: 0,
    to: NOON + 100 * MINUTE_MS,
  };

  it('adds up what processes count, by the minute and by the quarter of an hour', async () => {
    const store = await open();
    await store.add([counted(), counted({ at: NOON + MINUTE_MS }), counted({ name: 'failed' })]);
    const second = await store.add([
      counted({ count: 4 }),
      counted({ kind: 'calls', name: 'answered', count: 2, totalMs: 30.4 }),
      counted({ at: NOON + 15 * MINUTE_MS }),
    ]);
    expect(second).toEqual({ left: [] });
    const minutes = await store.read({ span: 1, ...all });
    const shown = (rows: readonly ActivityCount[]) =>
      rows.map(({ at, name, count, totalMs }) => [(at - NOON) / MINUTE_MS, name, count, totalMs]);
    expect(shown(minutes).sort()).toEqual(
      [
        [0, 'started', 5, 0],
        [0, 'failed', 1, 0],
        [0, 'answered', 2, 30],
        [1, 'started', 1, 0],
        [15, 'started', 1, 0],
      ].sort(),
    );
    const quarters = await store.read({ span: 15, ...all, kinds: ['tasks'] });
    expect(shown(quarters).sort()).toEqual(
      [
        [0, 'started', 6, 0],
        [0, 'failed', 1, 0],
        [15, 'started', 1, 0],
      ].sort(),
    );
  });

  it('tells apart whose they are, and gives those of a time alone', async () => {
    const store = await open();
    await store.add([
      counted({ count: 3 }),
      counted({ organization: 'acme', count: 2 }),
      counted({ organization: 'a \u0000 b', count: 1 }),
      counted({ kind: 'calls', agentId: 'one', count: 5 }),
      counted({ kind: 'calls', agentId: 'two', count: 6 }),
      counted({ kind: 'calls', agentId: 'three', count: 7 }),
    ]);
    const read = async (of: object) =>
      (await store.read({ span: 1, ...all, ...of })).map(({ count }) => count).sort();
    expect(await read({})).toEqual([3]);
    expect(await read({ organization: 'acme' })).toEqual([2]);
    expect(await read({ organization: 'a \u0000 b' })).toEqual([1]);
    expect(await read({ agentIds: ['one', 'three'] })).toEqual([5, 7]);
    expect(await read({ agentIds: [] })).toEqual([]);
    const sums = await store.sums({ span: 1, ...all, agentIds: ['one', 'three', 'none'] });
    expect(sums).toHaveLength(2);
    expect(sums).toContainEqual({ kind: 'calls', agentId: 'one', name: 'started', count: 5 });
    expect(await store.sums({ span: 1, ...all, agentIds: [] })).toEqual([]);
    expect(await store.sums({ span: 1, ...all, agentIds: ['one'], from: NOON + 1 })).toEqual([]);
    expect(await read({ from: NOON, to: NOON + 1 })).toEqual([3]);
    expect(await read({ from: NOON + 1 })).toEqual([]);
    expect(await read({ to: NOON })).toEqual([]);
  });

  it('adds up those of many agents, together and of each', async () => {
    const store = await open();
    const agentIds = Array.from({ length: 450 }, (_, n) => `agent-${n}`);
    const minutes = [0, 1, 40];
    await store.add(
      agentIds.flatMap((agentId) =>
        minutes.map((minute) =>
          counted({
            ...{ kind: 'calls', name: 'answered', agentId, count: 2, totalMs: 7 },
            at: NOON + minute * MINUTE_MS,
          }),
        ),
      ),
    );
    await store.add([counted({ kind: 'calls', name: 'timeout', agentId: 'agent-3' })]);
    const asked = { span: 1, ...all, agentIds } as const;
    const points = await store.points(asked);
    const point = (minute: number) => ({
      ...{ kind: 'calls', name: 'answered', count: 900, totalMs: 3150 },
      at: NOON + minute * MINUTE_MS,
    });
    expect(points).toHaveLength(4);
    expect(points).toEqual(expect.arrayContaining(minutes.map(point)));
    expect(points).toContainEqual({ ...point(0), name: 'timeout', count: 1, totalMs: 0 });
    expect(await store.points({ ...asked, agentIds: [] })).toEqual([]);
    expect(await store.points({ ...asked, agentIds: ['none'] })).toEqual([]);
    const sums = await store.sums(asked);
    expect(sums).toHaveLength(451);
    expect(sums.filter(({ count }) => count === 6)).toHaveLength(450);
    expect(await store.read(asked)).toHaveLength(1351);
    const quarters = await store.points({ ...asked, span: 15 });
    expect(quarters.map(({ count }) => count).sort()).toEqual([1, 1800, 900].sort());
  });

  it('gives what an agent did in a long time by time', async () => {
    const store = await open();
    const times = Array.from({ length: 600 }, (_, n) => NOON + ((n * 7) % 600) * MINUTE_MS);
    await store.add(times.map((at) => counted({ kind: 'calls', agentId: 'one', at })));
    const query = { span: 1, kinds: ['calls'], agentIds: ['one'] } as const;
    const found = await store.read({ ...query, from: NOON, to: NOON + 600 * MINUTE_MS });
    expect(found.map(({ at }) => at)).toEqual([...times].sort((a, b) => a - b));
  });

  it('finds the last there is of an agent before a time, by the minute where minutes are kept', async () => {
    const store = await open();
    const one = { kind: 'conditions', agentId: 'one' } as const;
    await store.add([
      counted({ ...one, name: 'down/open', at: NOON + MINUTE_MS }),
      counted({ ...one, name: 'healthy/closed', at: NOON + 2 * MINUTE_MS }),
      counted({ ...one, name: 'degraded/closed', at: NOON + 2 * MINUTE_MS }),
      counted({ ...one, name: 'unknown/closed', at: NOON + 40 * MINUTE_MS }),
      counted({ ...one, agentId: 'two', name: 'down/closed', at: NOON + 3 * MINUTE_MS }),
      counted({ ...one, kind: 'calls', name: 'answered', at: NOON + 3 * MINUTE_MS }),
    ]);
    const latest = async (minutes: number, agentId = 'one') =>
      (await store.latest('conditions', agentId, NOON + minutes * MINUTE_MS))
        .map(({ name }) => name)
        .sort();
    expect(await latest(0)).toEqual([]);
    expect(await latest(2)).toEqual(['down/open']);
    expect(await latest(30)).toEqual(['degraded/closed', 'healthy/closed']);
    expect(await latest(60)).toEqual(['unknown/closed']);
    expect(await latest(60, 'two')).toEqual(['down/closed']);
    expect(await latest(60, 'none')).toEqual([]);
    // Quarters are kept for longer; of one that has not ended by then it is not known what came before.
    await store.prune(1, new Date(NOON + 30 * MINUTE_MS), 100);
    expect(await latest(30)).toEqual(['degraded/closed', 'down/open', 'healthy/closed']);
    expect(await latest(14)).toEqual([]);
  });

  it('deletes what is older, of one span, in pieces', async () => {
    const store = await open();
    await store.add([0, 1, 2, 20].map((minute) => counted({ at: NOON + minute * MINUTE_MS })));
    const before = new Date(NOON + 2 * MINUTE_MS);
    expect(await store.prune(1, before, 1)).toBe(1);
    expect(await store.prune(1, before, 10)).toBe(1);
    expect(await store.prune(1, before, 10)).toBe(0);
    expect(await store.read({ span: 1, ...all })).toHaveLength(2);
    expect(await store.read({ span: 15, ...all })).toHaveLength(2);
  });

  it('stores more than fits into one statement', async () => {
    const store = await open();
    const many = Array.from({ length: 700 }, (_, n) =>
      counted({ organization: `o${n}`, count: n }),
    );
    expect(await store.add(many)).toEqual({ left: [] });
    const [last] = await store.read({ span: 15, ...all, organization: 'o699' });
    expect(last?.count).toBe(699);
  });
}
