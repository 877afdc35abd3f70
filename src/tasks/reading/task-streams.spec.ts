import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { TaskState } from '../../protocol/a2a.js';
import { EMPTY_HEADER } from '../domain/event-header.js';
import { InProcessSignals } from '../signals/in-process-signals.js';
import type { TaskLog } from '../log/task-log.js';
import type { Signals } from '../signals/signals.js';
import { UpdateWaiter } from '../signals/update-waiter.js';
import { TaskStreams } from './task-streams.js';
import type { EventKind, TaskEvent } from '../task.js';

const MIB = 1024 * 1024;

/** A log of events of these sizes; the last ends the task. Notes the characters of each page. */
class PagedLog {
  readonly pages: number[] = [];
  private readonly all: TaskEvent[];

  constructor(kinds: readonly (readonly [EventKind, number])[]) {
    this.all = kinds.map(([kind, size], i) => ({
      taskId: 't',
      seq: i + 1,
      kind,
      at: new Date(0),
      header: {
        ...EMPTY_HEADER,
        state: kind === 'status' ? TaskState.TASK_STATE_COMPLETED : null,
      },
      body: 'x'.repeat(size),
    }));
  }

  events(_id: string, after: number, limit: number, maxText = Infinity): Promise<TaskEvent[]> {
    const page: TaskEvent[] = [];
    let text = 0;
    for (const event of this.all.slice(after, after + limit)) {
      if (text >= maxText) break;
      page.push(event);
      text += event.body.length;
    }
    this.pages.push(text);
    return Promise.resolve(page);
  }
}

async function seqsOf(items: AsyncIterable<{ readonly seq: number }>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of items) seqs.push(seq);
  return seqs;
}

function over(log: PagedLog): TaskStreams {
  return streamsOf(log as unknown as TaskLog, new InProcessSignals(), 60_000);
}

function streamsOf(log: Partial<TaskLog>, signals: Signals, ms: number): TaskStreams {
  const clock = new SystemClock();
  const pace = { firstMs: ms, ownMs: ms, maxMs: ms };
  const waiters = { of: (taskId: string) => new UpdateWaiter(signals, taskId, clock, pace) };
  return new TaskStreams(log as TaskLog, waiters, clock);
}

describe('streams of a task', () => {
  it('read large events in pages of about a mebibyte, and all of them', async () => {
    const files = Array.from({ length: 6 }, () => ['artifact', 0.75 * MIB] as const);
    const log = new PagedLog([['task', 100], ['message', 100], ...files, ['status', 0]]);
    const seqs = await seqsOf(over(log).after('t', 0, TaskState.TASK_STATE_SUBMITTED));
    expect(seqs).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
    expect(Math.max(...log.pages)).toBeLessThan(2 * MIB);
  });

  it('find the first event of the agent behind a large message', async () => {
    const log = new PagedLog([
      ['task', 100],
      ['message', 5 * MIB],
      ['reply', 100],
      ['status', 0],
    ]);
    expect(await seqsOf(over(log).fromStart('t', 60_000))).toEqual([3]);
  });

  it('read what their process commits from memory, and what another one adds from the log', async () => {
    const signals = new InProcessSignals();
    const stored = new PagedLog([
      ['task', 1],
      ['artifact', 2],
      ['artifact', 3],
      ['artifact', 4],
      ['status', 5],
    ]);
    const all = await stored.events('t', 0, 10);
    const own: TaskEvent[] = [];
    let committed = 1;
    const reads: number[] = [];
    const log: Partial<TaskLog> = {
      events: (_id, after) => {
        reads.push(after);
        return Promise.resolve(all.slice(after, committed));
      },
      ownEvents: (_id, after) => own.filter(({ seq }) => seq > after),
    };
    const items = streamsOf(log, signals, 20).after('t', 0, TaskState.TASK_STATE_SUBMITTED);
    const next = async (): Promise<number | undefined> => (await items.next()).value?.seq;
    const commit = (): void => {
      own.push(all[committed]!);
      committed += 1;
      signals.taskChanged('t', committed);
    };
    expect(await next()).toBe(1);
    for (const seq of [2, 3]) {
      const shown = next();
      commit();
      expect(await shown).toBe(seq);
    }
    expect(reads.filter((after) => after > 0)).toEqual([]);
    // Of another process, which announces nothing here.
    const shown = next();
    committed = 5;
    expect([await shown, await next(), await next()]).toEqual([4, 5, undefined]);
    expect(reads.filter((after) => after > 0)).not.toEqual([]);
  });
});
