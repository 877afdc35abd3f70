import { beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING, visibilityOf } from '../../src/auth/index.js';
import { HubError } from '../../src/common/hub-error.js';
import { TaskState } from '../../src/protocol/a2a.js';
import type { EnlistedWork } from '../../src/tasks/store/prepared-append.js';
import type { NewEvent } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  ALICE,
  BOB,
  change,
  chunk,
  dataChunk,
  clientMessage,
  COMPLETED,
  EVE,
  FAR,
  newTask,
  status,
  TaskHarness,
  texts,
  WORKING,
} from './task-harness.js';

/** What the log of tasks promises, on whatever database. */
export function taskLogContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.openEmptied());
  });

  it('creates a task with its first two events and its delegations', async () => {
    const message = clientMessage('hello');
    const made = newTask({
      message,
      agents: ['a1', 'a2'],
      metadata: { route: 'short' },
      traceparent: '00-trace',
      extensions: ['urn:x'],
      hops: ['hub-1'],
      acceptedOutputModes: ['text/plain'],
      requestMetadata: { tenant: 'blue' },
      deadlineAt: FAR,
    });
    const created = await hub.log.create(made);
    expect(created.kind).toBe('created');

    const loaded = await hub.load(made.record.id);
    expect(loaded).toEqual(created.kind === 'created' && created.aggregate);
    expect(loaded.record).toMatchObject({
      seq: 2,
      state: TaskState.TASK_STATE_SUBMITTED,
      principalId: 'alice',
      organization: 'acme',
      traceparent: '00-trace',
      extensions: ['urn:x'],
      hops: ['hub-1'],
      acceptedOutputModes: ['text/plain'],
      requestMetadata: { tenant: 'blue' },
      deadlineAt: FAR,
      route: made.record.route,
    });
    expect(loaded.task.metadata).toEqual({ route: 'short' });
    expect(loaded.task.history).toEqual([
      { ...message, taskId: made.record.id, contextId: 'context-1' },
    ]);
    expect(loaded.delegations.map(({ agentId, state, epoch }) => [agentId, state, epoch])).toEqual([
      ['a1', 'queued', 0],
      ['a2', 'queued', 0],
    ]);
    const events = await hub.log.events(made.record.id, 0, 10);
    expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'task'],
      [2, 'message'],
    ]);
    expect(await hub.log.events(made.record.id, 1, 10)).toEqual(events.slice(1));
  });

  it('numbers events without gaps and builds the same task from the log as in memory', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, status(WORKING), chunk('one', 'result', false));
    await hub.append(record.id, chunk('two'));
    await hub.append(record.id, chunk('three'), status(COMPLETED));

    const read = await hub.log.read(record.id, EVERYTHING);
    expect(read).toEqual(await hub.load(record.id));
    expect(read?.record).toMatchObject({ seq: 7, state: COMPLETED });
    expect(texts(read!)).toEqual(['one', 'two', 'three']);
    const events = await hub.log.events(record.id, 0, 100);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('gives the headers of a log without its texts, the same as with them', async () => {
    const { record } = await hub.create();
    const id = '\u0000'.repeat(1000);
    await hub.append(record.id, status(WORKING), chunk('one', id, false), chunk('two', id));
    await hub.append(record.id, status(COMPLETED));
    const events = await hub.store.events(record.id, 0, 100);
    expect(events.map(({ header }) => header)).toEqual([
      { state: TaskState.TASK_STATE_SUBMITTED, endedDelegation: null, artifact: null },
      { state: null, endedDelegation: null, artifact: null },
      { state: WORKING, endedDelegation: null, artifact: null },
      expect.objectContaining({
        artifact: { id, delegationId: null, append: false, lastChunk: false },
      }),
      expect.objectContaining({
        artifact: { id, delegationId: null, append: true, lastChunk: false },
      }),
      { state: COMPLETED, endedDelegation: null, artifact: null },
    ]);
    expect(await hub.log.events(record.id, 0, 100)).toEqual(events);
    const headers = events.map(({ seq, kind, header }) => ({ seq, kind, header }));
    const read = (after: number, limit: number, maxText: number) =>
      hub.store.headers(record.id, after, limit, maxText);
    expect(await read(0, 100, 100_000)).toEqual(headers);
    expect(await read(1, 3, 100_000)).toEqual(headers.slice(1, 4));
    // None behind the one that is long.
    expect((await read(0, 100, 1000)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ['ASCII', 'x'],
    ['three bytes', '\u20ac'],
    ['two units', '\u{1f600}'],
  ])('reads no more than a bound of text, or one entry: %s', async (_what, character) => {
    const { record } = await hub.create();
    const text = character.repeat(1000);
    for (let i = 0; i < 20; i++) await hub.append(record.id, chunk(text));
    const all = await hub.store.events(record.id, 2, 100);
    expect(all).toHaveLength(20);
    const [first] = all;
    const length = first!.body.length;

    const seqsOf = async (limit: number, maxText?: number): Promise<number[]> =>
      (await hub.store.events(record.id, 2, limit, maxText)).map(({ seq }) => seq);
    expect(await seqsOf(100, 1)).toEqual([3]);
    expect(await seqsOf(100, length)).toEqual([3]);
    expect(await seqsOf(100, length + 1)).toEqual([3, 4]);
    expect(await seqsOf(100, 3 * length)).toEqual([3, 4, 5]);
    expect(await seqsOf(2, 3 * length)).toEqual([3, 4]);
    expect(await seqsOf(100, 100 * length)).toEqual(all.map(({ seq }) => seq));
  });

  it('reserves bytes before it reads a large task, and for none of a small one', async () => {
    const { record } = await hub.create();
    const requested: number[] = [];
    const room = async (bytes: number): Promise<void> => void requested.push(bytes);
    await hub.store.load(record.id, EVERYTHING, room);
    expect(requested).toEqual([]);

    await hub.append(record.id, chunk('x'.repeat(2_000_000)));
    await hub.store.load(record.id, EVERYTHING, room);
    expect(requested).toHaveLength(1);
    expect(requested[0]).toBeGreaterThan(2_000_000);
    expect(requested[0]).toBeLessThan(2_100_000);
    const none = (): Promise<void> => Promise.reject(new HubError('UNAVAILABLE', 'no room'));
    await expect(hub.another().log.read(record.id, EVERYTHING, none)).rejects.toThrow('no room');
  });

  it('makes one commit of what many callers decide at once', async () => {
    const tasks = await Promise.all(Array.from({ length: 20 }, () => hub.create()));
    expect(hub.participant.commits).toHaveLength(1);
    await Promise.all(
      tasks.flatMap(({ record }) => [
        hub.append(record.id, chunk('a', 'result', false)),
        hub.append(record.id, chunk('b')),
        hub.append(record.id, chunk('c')),
      ]),
    );
    expect(hub.participant.commits).toHaveLength(2);
    expect(hub.participant.commits[1]).toHaveLength(20);
    for (const { record } of tasks) {
      expect(texts(await hub.load(record.id))).toEqual(['a', 'b', 'c']);
    }
  });

  it('decides what arrives during a commit on the state after it', async () => {
    const { record } = await hub.create();
    const seen: number[] = [];
    const write = (): Promise<void> =>
      hub.log.update(record.id, (task) => {
        seen.push(task.record.seq);
        return change({ events: [chunk(String(task.record.seq))] });
      });
    const first = write();
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, write(), write()]);
    expect(seen).toEqual([2, 3, 4]);
    expect(texts(await hub.load(record.id))).toEqual(['2', '3', '4']);
  });

  it('never shows what is not committed yet', async () => {
    const { record } = await hub.create();
    hub.participant.refuse.set(record.id, 1);
    const doomed = hub.append(record.id, chunk('never')).catch((error: Error) => error.message);
    await new Promise((resolve) => setImmediate(resolve));
    const read = await hub.log.read(record.id, EVERYTHING);
    expect(await doomed).toMatch(/cannot be stored/);
    expect(texts(read!)).toEqual([]);
  });

  it('gives reads that later events do not change', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk('one', 'result', false));
    const before = await hub.log.read(record.id, EVERYTHING);
    await hub.append(record.id, chunk('two'));
    expect(texts(before!)).toEqual(['one']);
    expect(before?.record.seq).toBe(3);
  });

  it('answers a decision without a change after the appends it saw', async () => {
    const { record } = await hub.create();
    const order: string[] = [];
    hub.signals.onTask(record.id, (seq) => order.push(`notify ${seq}`));
    const append = hub
      .append(record.id, chunk('x', 'result', false))
      .then(() => order.push('append'));
    const look = hub.log
      .update(record.id, (task) => ({ change: { events: [] }, result: task.record.seq }))
      .then((seq) => order.push(`saw ${seq}`));
    await Promise.all([append, look]);
    expect(order).toEqual(['notify 3', 'append', 'saw 3']);
    expect(hub.participant.commits).toHaveLength(2);
  });

  it('rejects a decision that throws and keeps its neighbours', async () => {
    const { record } = await hub.create();
    const refused = hub.log.update(record.id, () => {
      throw new HubError('UNSUPPORTED_OPERATION', 'no');
    });
    const kept = hub.append(record.id, chunk('kept', 'result', false));
    await expect(refused).rejects.toThrow('no');
    await kept;
    expect(texts(await hub.load(record.id))).toEqual(['kept']);
  });

  it('adds nothing to a task that has ended', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, status(TaskState.TASK_STATE_CANCELED));
    await expect(hub.append(record.id, status(COMPLETED))).rejects.toThrow(/has ended/);
    const { record: after } = await hub.load(record.id);
    expect(after).toMatchObject({ state: TaskState.TASK_STATE_CANCELED, seq: 3 });
  });

  it('knows nothing of unknown tasks', async () => {
    for (const id of ['nobody', 'no\u0000body', '\uD800']) {
      expect(await hub.log.read(id, EVERYTHING)).toBeUndefined();
      expect(await hub.log.record(id, EVERYTHING)).toBeUndefined();
      await expect(hub.append(id, chunk('x'))).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    }
  });

  it("hides other callers' tasks, cached or not", async () => {
    const { record } = await hub.create();
    const cold = hub.another();
    const stranger = visibilityOf(EVE);
    const colleague = visibilityOf(BOB);
    const reader = visibilityOf({ ...BOB, scopes: new Set(['tasks:organization']) });
    for (const log of [hub.log, cold.log, hub.store]) {
      const read = 'read' in log ? log.read.bind(log) : log.load.bind(log);
      for (const visibility of [stranger, colleague]) {
        expect(await read(record.id, visibility)).toBeUndefined();
        expect(await log.record(record.id, visibility)).toBeUndefined();
      }
      for (const visibility of [visibilityOf(ALICE), reader, EVERYTHING]) {
        expect((await read(record.id, visibility))?.record.id).toBe(record.id);
        expect((await log.record(record.id, visibility))?.id).toBe(record.id);
      }
    }
  });

  it('holds text no column holds: U+0000 and lone surrogates', async () => {
    const odd = 'a\u0000b\uD800c';
    const { record, delegations } = await hub.create({
      contextId: `ctx-${odd}`,
      text: odd,
      traceparent: odd,
      metadata: { [odd]: odd },
    });
    await hub.append(record.id, chunk(odd, 'result', false));
    await hub.log.update(record.id, () =>
      change({
        events: [status(COMPLETED)],
        delegations: [
          { id: delegations[0]!.id, state: 'failed', reason: odd, downstreamTaskId: odd },
        ],
      }),
    );
    const loaded = await hub.load(record.id);
    expect(texts(loaded)).toEqual([odd]);
    expect(loaded.task.history[0]?.parts[0]?.content).toEqual({ $case: 'text', value: odd });
    expect(loaded.task.metadata).toEqual({ [odd]: odd });
    expect(loaded.record.contextId).toBe('ctx-ab\uFFFDc');
    expect(loaded.task.contextId).toBe('ctx-ab\uFFFDc');
    expect(loaded.delegations[0]).toMatchObject({ reason: 'ab\uFFFDc', state: 'failed' });
    const page = await hub.store.list({ contextId: `ctx-${odd}` }, EVERYTHING, 10, null);
    expect(page.totalSize).toBe(1);
  });

  it('writes a checkpoint when a task stops running, and now and then on the way', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk('0', 'result', false));
    for (let n = 1; n <= 300; n += 1) await hub.append(record.id, chunk(String(n)));
    const onTheWay = await hub.rows('task_checkpoints');
    expect(onTheWay.map(({ seq }) => seq)).toEqual([256]);
    await hub.append(record.id, status(COMPLETED));
    expect(await hub.rows('task_checkpoints')).toHaveLength(2);
    const numbers = Array.from({ length: 301 }, (_, n) => String(n));
    expect(texts(await hub.load(record.id))).toEqual(numbers);
    expect(await hub.load(record.id)).toEqual(await hub.log.read(record.id, EVERYTHING));
  });

  it('writes a checkpoint after a mebibyte, and not for every chunk of a task that waits', async () => {
    const { record } = await hub.create();
    const long = chunk('x'.repeat(12 * 1024), 'big');
    await hub.append(record.id, ...Array.from({ length: 90 }, () => long));
    expect(await hub.rows('task_checkpoints')).toHaveLength(1);
    await hub.append(record.id, status(TaskState.TASK_STATE_AUTH_REQUIRED));
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk('more', 'big'));
    expect(await hub.rows('task_checkpoints')).toHaveLength(2);
    expect(texts(await hub.load(record.id), 'big')).toHaveLength(95);
  });

  it('stores a large text once: no checkpoint repeats it, and the task is read from its log in pages', async () => {
    const { record } = await hub.create();
    const file = 'x'.repeat(3 * 1024 * 1024);
    for (const id of ['a', 'b', 'c']) await hub.append(record.id, chunk(file, id, false));
    await hub.append(record.id, status(COMPLETED));
    expect(await hub.rows('task_checkpoints')).toEqual([]);
    const task = (await hub.load(record.id)).task;
    expect(task.artifacts.map(({ artifactId }) => artifactId)).toEqual(['a', 'b', 'c']);
    expect(texts(await hub.load(record.id), 'c')[0] === file).toBe(true);
  });

  it('keeps a task small whose one artifact is given again and again', async () => {
    const { record } = await hub.create();
    const file = 'x'.repeat(1.5 * 1024 * 1024);
    for (let n = 0; n < 4; n += 1) await hub.append(record.id, chunk(file, 'a', false));
    const checkpoints = await hub.rows('task_checkpoints');
    expect(checkpoints.length).toBeGreaterThan(0);
    for (const { body } of checkpoints) expect(String(body).length).toBeLessThan(2 * 1024 * 1024);
  });

  it.each([['its log'], ['its checkpoint']])(
    'knows after a restart how many values a task holds, by %s',
    async (where) => {
      const { record } = await hub.create();
      const value = Array.from({ length: 40_000 }, () => ({}));
      for (let n = 0; n < 6; n += 1) await hub.append(record.id, dataChunk(value));
      // More than half of the limit: there is one.
      const [checkpoint] = await hub.rows('task_checkpoints');
      expect(checkpoint).toBeDefined();
      if (where === 'its log') await forgetCheckpoints(hub);
      const stored = (await hub.store.open(record.id))!;
      expect(stored.checkpointValues > 0).toBe(where === 'its checkpoint');
      expect(stored.checkpointValues + stored.valuesSince).toBeGreaterThan(6 * 80_000);
      expect(stored.checkpointValues + stored.valuesSince).toBeLessThan(6 * 80_000 + 200);
      const restarted = hub.another();
      const more = restarted.append(record.id, dataChunk(value));
      await expect(more).rejects.toThrow('the task has ended');
      const { task } = await hub.load(record.id);
      expect(task.artifacts[0]?.parts).toHaveLength(6);
      expect(JSON.stringify(task.status)).toContain('hold more than 500,000 values');
    },
  );

  it('notifies for tasks, work and delegations once they are committed', async () => {
    const notifications: string[] = [];
    const made = newTask();
    hub.signals.onTask(made.record.id, (seq) => notifications.push(`task ${seq}`));
    hub.signals.onWork(() => notifications.push('work'));
    const { record, delegations } = await hub.create(made.record);
    const id = delegations[0]!.id;
    hub.signals.onDelegation((delegation) =>
      notifications.push(delegation === id ? 'delegation' : '?'),
    );
    expect(notifications).toEqual(['task 2', 'work']);
    await hub.log.update(record.id, () =>
      change({ events: [], record: { cancelRequestedAt: hub.clock.now() } }),
    );
    expect(notifications.splice(0)).toEqual(['task 2', 'work', 'delegation']);
    await hub.log.update(record.id, () =>
      change({ events: [status(WORKING)], delegations: [{ id, state: 'queued' }] }),
    );
    expect(notifications).toEqual(['task 3', 'delegation', 'work']);
  });

  it('writes what comes with an update in its commit, and does what is left after it', async () => {
    const { record } = await hub.create();
    const done: string[] = [];
    const note = (what: string): EnlistedWork =>
      function* (tx, taskId) {
        yield* tx.run(
          `INSERT INTO idempotency_keys (principal_id, key, task_id, fingerprint)
           VALUES ('p', ?, ?, '')`,
          [what, taskId],
        );
        return () => done.push(what);
      };
    const noted = async (): Promise<unknown[]> =>
      (await hub.rows('idempotency_keys')).map(({ key }) => key);
    const write = (event: NewEvent[], what: string): Promise<void> =>
      hub.log.update(record.id, () => ({ ...change({ events: event }), enlisted: [note(what)] }));

    await write([chunk('a', 'result', false)], 'with an event');
    await write([], 'alone');
    expect(done).toEqual(['with an event', 'alone']);
    expect(await noted()).toHaveLength(2);

    hub.participant.refuse.set(record.id, 1);
    await expect(write([chunk('b')], 'refused')).rejects.toMatchObject({ reason: 'INTERNAL' });
    expect(done).toHaveLength(2);
    expect(await noted()).toHaveLength(2);
  });

  it('is refused with the reason of what comes with an update, and goes on', async () => {
    const { record } = await hub.create();
    const refuse: EnlistedWork = () => {
      throw new HubError('INVALID_PARAMS', 'too many webhooks');
    };
    const refused = hub.log.update(record.id, () => ({
      ...change({ events: [chunk('never', 'result', false)] }),
      enlisted: [refuse],
    }));
    const neighbour = hub.append(record.id, chunk('kept', 'kept', false));
    await expect(refused).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
    await neighbour;
    const after = await hub.load(record.id);
    expect(after.record.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    expect(texts(after)).toEqual([]);
    expect(texts(after, 'kept')).toEqual(['kept']);
  });

  it('ends a task that would become too large, whoever asked for it then', async () => {
    const small = new TaskHarness(hub.database, hub.clock, 100_000);
    const { record } = await small.create();
    const neighbour = await small.create();
    const piece = 'x'.repeat(20_000);
    await Promise.all([
      small.append(record.id, chunk(piece, 'result', false)),
      small.append(record.id, chunk(piece)),
      small.append(neighbour.record.id, chunk('kept', 'result', false)),
    ]);
    const seen: TaskState[] = [];
    const more = (): Promise<void> =>
      small.log.update(record.id, ({ record: { state } }) => {
        seen.push(state);
        return change({ events: state === TaskState.TASK_STATE_FAILED ? [] : [chunk(piece)] });
      });
    await Promise.all(Array.from({ length: 10 }, more));
    const ended = await small.load(record.id);
    expect(ended.record.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(ended.delegations[0]?.state).toBe('failed');
    expect(JSON.stringify(ended.task.status?.message?.parts)).toContain('larger than 0.1 MiB');
    expect(texts(ended).length).toBeLessThan(6);
    expect(seen.at(-1)).toBe(TaskState.TASK_STATE_FAILED);
    expect(texts(await small.load(neighbour.record.id))).toEqual(['kept']);
  });

  it('refuses a message over the size limit, of a new task and of an open one', async () => {
    const small = new TaskHarness(hub.database, hub.clock, 20_000);
    const text = 'x'.repeat(20_000);
    await expect(small.create({ text })).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
    const { record } = await small.create();
    const message = {
      kind: 'message' as const,
      payload: { $case: 'message' as const, value: clientMessage(text) },
    };
    await expect(small.append(record.id, message)).rejects.toMatchObject({
      reason: 'INVALID_PARAMS',
    });
    expect((await small.load(record.id)).record.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  });
}

/** As if no checkpoint had ever been due. */
function forgetCheckpoints({ database }: TaskHarness): Promise<unknown> {
  return database.write((tx) => tx.run('UPDATE tasks SET checkpoint_seq = 0', []));
}
