import { describe, expect, it } from '@jest/globals';
import { StreamResponse } from '../../protocol/a2a.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { headerOf, TaskLog, type TaskEvent } from '../../tasks/index.js';
import { ByteBudget, OverBudgetError } from '../../common/byte-budget.js';
import { countTurns } from '../../common/fake-loop-turns.js';
import { isLast, readPage, PAGES_BUDGET } from './log-pages.js';
import { TaskReplays } from './task-replays.js';

const MIB = 1024 * 1024;

/** A log of chunks of half a mebibyte that ends a page where it is told to. */
function logOf(count: number) {
  const pages: number[] = [];
  const log = Object.assign(Object.create(TaskLog.prototype) as TaskLog, {
    events: async (_: string, after: number, limit: number, maxText = Infinity) => {
      const page: TaskEvent[] = [];
      let text = 0;
      for (let seq = after + 1; seq <= Math.min(count, after + limit) && text < maxText; seq++) {
        const body = bodyOf(seq);
        page.push({
          taskId: 't',
          seq,
          kind: seq === 1 ? 'task' : 'artifact',
          at: new Date(0),
          header: headerOf(StreamResponse.fromJSON(JSON.parse(body)).payload!),
          body,
        });
        text += body.length;
      }
      pages.push(text);
      return page;
    },
  });
  return { log, pages };
}

function bodyOf(seq: number): string {
  if (seq === 1) return JSON.stringify({ task: emptyTask('t', 'c') });
  const artifact = { artifactId: `a${seq}`, parts: [{ text: 'x'.repeat(MIB / 2) }] };
  return JSON.stringify({ artifactUpdate: { taskId: 't', contextId: 'c', artifact } });
}

/** A log whose tasks have one artifact with so many empty objects, and of which tasks it was read. */
function logOfValues(count: number) {
  const reads: string[] = [];
  const artifact = {
    artifactId: 'a',
    parts: [{ data: Array.from({ length: count }, () => ({})) }],
  };
  const body = JSON.stringify({
    task: { ...(emptyTask('t', 'c') as object), artifacts: [artifact] },
  });
  const log = Object.assign(Object.create(TaskLog.prototype) as TaskLog, {
    events: async (taskId: string) => {
      reads.push(taskId);
      return [{ taskId, seq: 1, kind: 'task', at: new Date(0), header: {}, body }];
    },
  });
  return { log, reads };
}

describe('pages of a log', () => {
  it('are small also before it is known how large the entries are', async () => {
    const { log, pages } = logOf(60);
    const requested = { taskId: 't', after: 0, limit: 200, part: 'page' };
    const page = await new ByteBudget(PAGES_BUDGET).during((reservation) =>
      readPage(log, requested, reservation),
    );
    expect(page.length).toBeGreaterThan(1);
    expect(Math.max(...pages)).toBeLessThan(2 * MIB);
    // It is no sign of the end that there are fewer than were asked for.
    expect(isLast(page, 200)).toBe(false);
    expect(isLast(page.slice(0, 1), 200)).toBe(true);
  });

  it('are held by no more deliveries at once than there is room for, before they are read as well', async () => {
    const size = 16 * MIB;
    const body = 'x'.repeat(size);
    let [held, most, reads] = [0, 0, 0];
    const log = Object.assign(Object.create(TaskLog.prototype) as TaskLog, {
      events: async (...[taskId, after, , , hasCapacity]: Parameters<TaskLog['events']>) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (!hasCapacity!(size)) return [];
        reads += 1;
        held += 1;
        most = Math.max(most, held);
        await new Promise((resolve) => setImmediate(resolve));
        return [{ taskId, seq: after + 1, kind: 'artifact', at: new Date(0), header: {}, body }];
      },
    });
    const budget = new ByteBudget({ ...PAGES_BUDGET, patienceMs: 60_000 });
    const deliver = (taskId: string): Promise<void> =>
      budget.during(async (reservation) => {
        const requested = { taskId, after: 0, limit: 1, part: 'page' };
        expect(await readPage(log, requested, reservation)).toHaveLength(1);
        await new Promise((resolve) => setImmediate(resolve));
        held -= 1;
      });
    await Promise.all(Array.from({ length: 40 }, (_, i) => deliver(`t${i}`)));
    expect(most).toBe(PAGES_BUDGET.limit / size);
    expect(reads).toBe(40);
  });

  it('are parsed in turns of the event loop', async () => {
    const { log, pages } = logOf(60);
    const turns = countTurns();
    const replays = new TaskReplays(log);
    const task = await new ByteBudget(PAGES_BUDGET).during((reservation) =>
      replays.asOf('l', 't', 60, reservation),
    );
    const counted = turns();
    expect(task.artifacts).toHaveLength(59);
    expect(Math.max(...pages)).toBeLessThan(2 * MIB);
    expect(counted).toBeGreaterThanOrEqual(29);
  });
});

describe('replays', () => {
  it('count what many small values take, where they are kept', async () => {
    const { log, reads } = logOfValues(10_000);
    const replays = new TaskReplays(log, 3 * MIB);
    const replay = (stream: string): Promise<unknown> =>
      new ByteBudget(PAGES_BUDGET).during((reservation) =>
        replays.asOf(stream, stream, 1, reservation),
      );
    for (const stream of ['a', 'b', 'b', 'c', 'b', 'a']) await replay(stream);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });

  it('count it before they are made', async () => {
    const { log } = logOfValues(10_000);
    const budget = new ByteBudget({ limit: MIB, free: 256 * 1024, step: 1, patienceMs: 1 });
    const replays = new TaskReplays(log);
    await budget.during(async (older) => {
      await older.resize('page', MIB);
      const replay = budget.during((reservation) => replays.asOf('a', 'a', 1, reservation));
      await expect(replay).rejects.toThrow(OverBudgetError);
    });
  });
});
