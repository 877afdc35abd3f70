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

/**
 * A log of events of these sizes; the last ends the task. Notes the characters of each page; one for which there is no
 * capacity has none.
 */
class PagedLog {
  readonly pages: number[] = [];

  /** Characters of all pages. */
  get read(): number {
    return this.pages.reduce((sum, text) => sum + text, 0);
  }

  private readonly all: TaskEvent[];

  constructor(kinds: readonly (readonly [EventKind, number])[]) {
    this.all = kinds.map(([kind, size], i) => eventOf(i + 1, kind, size));
  }

  events(
    ...[, after, limit, maxText = Infinity, hasCapacity]: Parameters<TaskLog['events']>
  ): Promise<TaskEvent[]> {
    const page: TaskEvent[] = [];
    let text = 0;
    for (const event of this.all.slice(after, after + limit)) {
      if (text >= maxText) break;
      page.push(event);
      text += event.body.length;
    }
    // Asked for what is stored apart alone, as in the database.
    const isApart = page.some(({ body }) => body.length >= MIB);
    const isRead = !isApart || hasCapacity === undefined || hasCapacity(text);
    this.pages.push(isRead ? text : 0);
    return Promise.resolve(isRead ? page : []);
  }
}

function eventOf(seq: number, kind: EventKind, size: number): TaskEvent {
  const state = kind === 'status' ? TaskState.TASK_STATE_COMPLETED : null;
  const header = { ...EMPTY_HEADER, state };
  return { taskId: 't', seq, kind, at: new Date(0), header, body: 'x'.repeat(size) };
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
  const pace = { firstMs: ms, maxMs: ms };
  const waiters = { ofStream: (taskId: string) => new UpdateWaiter(signals, taskId, clock, pace) };
  return new TaskStreams(log as TaskLog, waiters, clock);
}

describe('streams of a task', () => {
  it('read large events in pages of about a mebibyte, and all of them', async () => {
    const files = Array.from({ length: 6 }, () => ['artifact', 0.75 * MIB] as const);
    const log = new PagedLog([['task', 100], ['message', 100], ...files, ['status', 0]]);
    const seqs = await seqsOf(over(log).after('t', 0, TaskState.TASK_STATE_SUBMITTED, {}));
    expect(seqs).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
    expect(Math.max(...log.pages)).toBeLessThan(2 * MIB);
  });

  it.each([5 * MIB, MIB - 50])(
    'find the first event of the agent behind a message of %d characters',
    async (size) => {
      const log = new PagedLog([
        ['task', 100],
        ['message', size],
        ['reply', 100],
        ['status', 0],
      ]);
      expect(await seqsOf(over(log).fromStart('t', 60_000, {}))).toEqual([3]);
      // Without the message where it is stored apart, and once where it is not.
      expect(log.read).toBeLessThan(size < MIB ? 2 * MIB : MIB);
    },
  );

  it('have room for what is large before it is read, until the next thing is wanted', async () => {
    const log = new PagedLog([
      ['artifact', 100],
      ['artifact', 5 * MIB],
      ['artifact', 100],
      ['message', 3 * MIB],
      ['artifact', 7 * MIB],
      ['status', 0],
    ]);
    const seen: string[] = [];
    const reader = {
      reserveAnswer: async (bytes: number): Promise<void> => {
        seen.push(`${Math.floor(bytes / MIB)} MiB when ${Math.floor(log.read / MIB)} were read`);
      },
      releaseAnswer: () => seen.push('done'),
    };
    for await (const { seq } of over(log).after('t', 0, TaskState.TASK_STATE_SUBMITTED, reader)) {
      seen.push(String(seq));
    }
    expect(seen).toEqual([
      '5 MiB when 0 were read',
      ...['1', '5 MiB when 5 were read', '2', 'done'],
      '3 MiB when 5 were read',
      ...['3', 'done'],
      '7 MiB when 8 were read',
      ...['7 MiB when 15 were read', '5', 'done'],
      ...['6', 'done'],
    ]);
  });

  it('end with the refusal where there is no room for what is large, which is not read', async () => {
    const log = new PagedLog([
      ['artifact', 100],
      ['artifact', 5 * MIB],
    ]);
    const reader = { reserveAnswer: () => Promise.reject(new Error('too much')) };
    const items = over(log).after('t', 0, TaskState.TASK_STATE_SUBMITTED, reader);
    await expect(items.next()).rejects.toThrow('too much');
    expect(log.read).toBe(0);
  });

  describe('beside other processes', () => {
    /** Of events 1 to 9; `own` are those that this process knows of, all that are committed. */
    function shared(...kinds: ('artifact' | 'question' | 'message' | 'end')[]) {
      const signals = new InProcessSignals();
      const all = kinds.map((kind, i): TaskEvent => {
        const state = {
          question: TaskState.TASK_STATE_INPUT_REQUIRED,
          end: TaskState.TASK_STATE_COMPLETED,
        };
        const isStatus = kind === 'question' || kind === 'end';
        return {
          taskId: 't',
          seq: i + 1,
          kind: isStatus ? 'status' : kind,
          at: new Date(0),
          header: { ...EMPTY_HEADER, state: isStatus ? state[kind] : null },
          body: kind,
        };
      });
      let [committed, known, knownFrom] = [1, 1, 1];
      const reads: number[] = [];
      const log: Partial<TaskLog> = {
        events: (_id, after) => {
          reads.push(after);
          return Promise.resolve(all.slice(after, committed));
        },
        ownEvents: (_id, after) => (after < knownFrom ? undefined : all.slice(after, known)),
      };
      const items = streamsOf(log, signals, 20).after('t', 0, TaskState.TASK_STATE_SUBMITTED, {});
      return {
        reads,
        next: async (): Promise<number | undefined> => (await items.next()).value?.seq,
        /** On the newest state: what another process has added is read before. */
        commit: (): void => {
          if (known < committed) knownFrom = committed;
          committed += 1;
          known = committed;
          signals.taskChanged('t', committed);
        },
        /** Announces nothing here. */
        commitElsewhere: (): void => {
          committed += 1;
        },
      };
    }

    it('read what their process commits from memory, and what others add from the log', async () => {
      const hub = shared('artifact', 'artifact', 'artifact', 'artifact', 'artifact', 'end');
      expect(await hub.next()).toBe(1);
      for (const seq of [2, 3]) {
        const shown = hub.next();
        hub.commit();
        expect(await shown).toBe(seq);
      }
      expect(hub.reads).toEqual([0]);
      const shown = hub.next();
      hub.commitElsewhere();
      expect(await shown).toBe(4);
      hub.commit();
      hub.commit();
      expect([await hub.next(), await hub.next(), await hub.next()]).toEqual([5, 6, undefined]);
    });

    it('miss nothing of others between two commits of their process', async () => {
      const hub = shared('artifact', 'artifact', 'artifact', 'artifact', 'end');
      expect(await hub.next()).toBe(1);
      const shown = hub.next();
      hub.commit();
      hub.commitElsewhere();
      hub.commit();
      hub.commitElsewhere();
      expect(await shown).toBe(2);
      const rest = [await hub.next(), await hub.next(), await hub.next(), await hub.next()];
      expect(rest).toEqual([3, 4, 5, undefined]);
    });

    it('end at a question, unless it has been answered through another process', async () => {
      const open = shared('artifact', 'question');
      expect(await open.next()).toBe(1);
      const asked = open.next();
      open.commit();
      expect([await asked, await open.next()]).toEqual([2, undefined]);
      const answered = shared('artifact', 'question', 'message', 'artifact', 'end');
      expect(await answered.next()).toBe(1);
      const shown = answered.next();
      answered.commit();
      for (let n = 0; n < 3; n += 1) answered.commitElsewhere();
      expect(await shown).toBe(2);
      expect([await answered.next(), await answered.next()]).toEqual([4, 5]);
      expect(await answered.next()).toBeUndefined();
    });
  });
});
