import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { SystemIdSource } from '../../common/ids.js';
import { StreamResponse } from '../../protocol/a2a.js';
import { headerOf, TaskLog, type TaskEvent } from '../../tasks/index.js';
import type { StreamCursor } from './domain/delivery-plan.js';
import { ByteBudget, OverBudgetError } from '../../common/byte-budget.js';
import { DeliveryReader } from './delivery-reader.js';
import type { DeliveryDraft, DeliveryStream, Reached } from './delivery-stream-store.js';

const IDS = { taskId: 't', contextId: 'c' };

function readerOf(log: TaskLog, budget?: ByteBudget): DeliveryReader {
  const settings = { maxBodyBytes: 1024 * 1024 };
  const [ids, clock] = [new SystemIdSource(), new SystemClock()];
  return new DeliveryReader(log, ids, clock, settings, { ofA2a: null }, budget);
}

const task = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };
const status = (state: string) => ({ statusUpdate: { ...IDS, status: { state } } });
const chunk = (artifactId: string, size = 1) => ({
  artifactUpdate: { ...IDS, artifact: { artifactId, parts: [{ text: 'x'.repeat(size) }] } },
});

function entry(wire: object, i: number): TaskEvent {
  const kind = 'task' in wire ? 'task' : 'statusUpdate' in wire ? 'status' : 'artifact';
  const event = StreamResponse.fromJSON(wire);
  const body = JSON.stringify(StreamResponse.toJSON(event));
  return { seq: i + 1, taskId: 't', kind, at: new Date(0), header: headerOf(event.payload!), body };
}

/** A log that counts what is read of it. */
function logOf(events: readonly TaskEvent[]) {
  const counts = { bytes: 0, pages: 0 };
  const log = Object.assign(Object.create(TaskLog.prototype) as TaskLog, {
    events: (_: string, after: number, limit: number) => {
      const page = events.slice(after, after + limit);
      counts.pages += 1;
      for (const { body } of page) counts.bytes += body.length;
      return Promise.resolve(page);
    },
    headers: (_: string, after: number, limit: number) => {
      counts.pages += 1;
      const page = events.slice(after, after + limit);
      return Promise.resolve(page.map(({ seq, kind, header }) => ({ seq, kind, header })));
    },
  });
  return { log, counts };
}

function streamAt(nextSeq: number, cursor: StreamCursor | null, id = 'l'): DeliveryStream {
  const webhook = { streamId: 'u', taskId: 't', version: '1.0', events: 'changes' };
  return { id, webhook, nextSeq, cursor } as DeliveryStream;
}

/** Reads on as a stream does until it has come to `end`. */
async function readTo(reader: DeliveryReader, end: number, from: DeliveryStream, forMs?: number) {
  const steps: Reached[] = [];
  for (let stream = from; stream.nextSeq < end;) {
    const reached = await reader.next(stream, forMs);
    steps.push(reached);
    stream = { ...stream, ...reached };
  }
  return steps;
}

const drafts = (steps: readonly Reached[]): DeliveryDraft[] =>
  steps.flatMap(({ deliveries }) => deliveries);

describe('StreamReader', () => {
  it('reads a log once for all artifacts that end together, and makes a few at a time', async () => {
    const chunks = Array.from({ length: 45 }, (_, i) => chunk(`a${i}`, 800_000));
    const { log, counts } = logOf([task, ...chunks, status('TASK_STATE_COMPLETED')].map(entry));
    const steps = await readTo(readerOf(log), 48, streamAt(1, null));
    // Once for what is delivered, once for the artifacts, and the last entry for each piece.
    expect(counts.bytes).toBeLessThan(2.5 * 45 * 800_000);
    for (const { deliveries } of steps) {
      const made = deliveries.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
      expect(made).toBeLessThan(6 * 1024 * 1024);
    }
    const delivered = drafts(steps);
    expect(delivered).toHaveLength(47);
    expect(delivered.slice(1, -1).map(({ artifactId }) => artifactId)).toEqual(
      chunks.map((_, i) => `a${i}`),
    );
    expect(new Set(delivered.map(({ webhookId }) => webhookId)).size).toBe(47);
    expect(delivered.slice(1, 3).map(({ webhookId }) => webhookId)).toEqual(['u.47.1', 'u.47.2']);
    expect(delivered.at(-1)).toMatchObject({ kind: 'event', webhookId: 'u.47' });
  });

  it('keeps the replay it has just made, whatever other streams keep', async () => {
    const chunks = Array.from({ length: 60 }, (_, i) => chunk(`a${i}`, 700_000));
    const { log, counts } = logOf([task, ...chunks, status('TASK_STATE_COMPLETED')].map(entry));
    const reader = readerOf(log);
    const stream = streamAt(1, null);
    const draft = { seq: 62, kind: 'artifact', artifactId: 'a1' } as const;
    await reader.render(stream, draft);
    counts.bytes = 0;
    await reader.render(stream, draft);
    expect(counts.bytes).toBe(0);
  });

  it('reads the log of a small task once, and again for what comes later or of what was forgotten', async () => {
    const events = [task, status('TASK_STATE_WORKING'), chunk('a')].map(entry);
    const { log, counts } = logOf(events);
    const reader = readerOf(log);
    const stream = streamAt(1, null);
    const first = await readTo(reader, 3, stream);
    expect(drafts(first).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(counts.pages).toBe(1);

    events.push(entry(status('TASK_STATE_COMPLETED'), 3));
    const later = await readTo(reader, 5, { ...stream, ...first.at(-1)! });
    expect(drafts(later).map(({ seq, kind }) => [seq, kind])).toEqual([
      [4, 'artifact'],
      [4, 'event'],
    ]);
    const before = counts.pages;
    await readTo(reader, 3, stream);
    reader.forget(stream.id);
    await readTo(reader, 3, stream);
    expect(counts.pages).toBe(before + 2);
  });

  it('keeps only what is small between two steps', async () => {
    const large = Array.from({ length: 4 }, () => chunk('a', 10_000));
    const { log, counts } = logOf([task, ...large, status('TASK_STATE_WORKING')].map(entry));
    const stream = {
      ...streamAt(1, null),
      webhook: { ...streamAt(1, null).webhook, events: 'all' },
    };
    const steps = await readTo(readerOf(log), 7, stream as DeliveryStream);
    expect(drafts(steps).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(counts.pages).toBe(3);
  });

  it('stops in a long log when its time is over, and goes on from there', async () => {
    const chunks = Array.from({ length: 900 }, () => chunk('a'));
    const { log, counts } = logOf([task, ...chunks, status('TASK_STATE_WORKING')].map(entry));
    const cursor = { state: 1, unfinished: [] };
    const steps = await readTo(readerOf(log), 903, streamAt(2, cursor), 0);
    expect(steps.length).toBeGreaterThan(10);
    expect(drafts(steps)).toMatchObject([{ seq: 902, kind: 'event' }]);
    // Its lease is extended before it is sent.
    expect(steps.at(-1)!.ready).toBeUndefined();
    expect(counts.pages).toBe(steps.length);
  });

  it('finds out what came before its place in pieces too, from the headers', async () => {
    const chunks = Array.from({ length: 900 }, () => chunk('a'));
    const { log, counts } = logOf([task, ...chunks, status('TASK_STATE_COMPLETED')].map(entry));
    const steps = await readTo(readerOf(log), 903, streamAt(902, null), 0);
    expect(steps.map(({ cursor }) => cursor === null)).toEqual([true, true, true, true, false]);
    expect(drafts(steps).map(({ kind }) => kind)).toEqual(['artifact', 'event']);
    expect(counts.pages).toBeLessThan(12);
    const replayed = counts.bytes;
    const ofOther = streamAt(902, null, 'other');
    expect(drafts(await readTo(readerOf(log), 902, ofOther))).toEqual([]);
    expect(counts.bytes).toBe(replayed);
  });

  it('makes a dead letter of an entry that cannot be read, and goes on behind it', async () => {
    const events = [task, status('TASK_STATE_WORKING'), status('TASK_STATE_COMPLETED')].map(entry);
    const bad = (body: string) => logOf(events.with(1, { ...events[1]!, body })).log;
    for (const body of ['{"status', '{}', '7']) {
      const reader = readerOf(bad(body));
      const delivered = drafts(await readTo(reader, 4, streamAt(1, null)));
      expect(delivered.map((each) => each.body !== null)).toEqual([true, false, true]);
      const draft = { seq: 2, kind: 'event', artifactId: null } as const;
      await expect(reader.render(streamAt(3, null), draft)).rejects.toThrow(
        "entry 2 of the task's log cannot be read",
      );
    }
  });

  describe('with many streams on large tasks', () => {
    const size = 10_000;
    const chunks = Array.from({ length: 210 }, (_, i) => chunk(`a${i}`, size));
    const large = [task, ...chunks, status('TASK_STATE_COMPLETED')].map(entry);
    const small = [task, status('TASK_STATE_COMPLETED')].map(entry);
    const oldStream = (id: string): DeliveryStream => {
      const webhook = { streamId: 'u', taskId: id, version: '0.3', events: 'changes' };
      return { id, webhook, nextSeq: 1, cursor: null } as DeliveryStream;
    };
    const snapshot = (seq: number) => ({ seq, kind: 'snapshot', artifactId: null }) as const;
    /** Streams that had to wait: they read their first page again, which was dropped meanwhile. */
    function turns() {
      const reads = new Map<string, number>();
      const log = Object.assign(Object.create(TaskLog.prototype) as TaskLog, {
        events: async (taskId: string, after: number, limit: number) => {
          await new Promise((resolve) => setImmediate(resolve));
          if (after === 0) reads.set(taskId, (reads.get(taskId) ?? 0) + 1);
          return (taskId === 'small' ? small : large).slice(after, after + limit);
        },
      });
      return { log, having: () => [...reads].flatMap(([id, n]) => (n > 1 ? [id] : [])) };
    }

    it('holds one of them at a time when there is room for one, and small ones never wait', async () => {
      const { log, having } = turns();
      const rules = { limit: 250 * size, free: size, step: size, patienceMs: 60_000 };
      const reader = readerOf(log, new ByteBudget(rules));
      const delivered = new Set<string>();
      let most = 0;
      const tell = async (id: string): Promise<void> => {
        const { body } = await reader.render(oldStream(id), snapshot(212));
        most = Math.max(most, having().filter((each) => !delivered.has(each)).length);
        delivered.add(id);
        expect(body.includes('"thin":true')).toBe(true);
      };
      const all = Promise.all(Array.from({ length: 30 }, (_, i) => tell(`large${i}`)));
      await reader.render(oldStream('small'), snapshot(2));
      expect(delivered.size).toBeLessThan(2);
      await all;
      expect(having()).toHaveLength(29);
      expect(most).toBeLessThanOrEqual(2);
    });

    it('says that there is no room when its turn does not come', async () => {
      const { log } = turns();
      const rules = { limit: size, free: 0, step: size, patienceMs: 0 };
      const budget = new ByteBudget(rules);
      const reader = readerOf(log, budget);
      await budget.during(async (reservation) => {
        await reservation.resize('all', size);
        await expect(reader.next(oldStream('large'))).rejects.toThrow(OverBudgetError);
        await expect(reader.render(oldStream('large'), snapshot(212))).rejects.toThrow(
          OverBudgetError,
        );
      });
      const { deliveries } = await reader.next(oldStream('large'));
      expect(deliveries).toHaveLength(1);
    });
  });
});
