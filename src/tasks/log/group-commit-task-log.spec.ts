import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../auth/index.js';
import { canonicalJson } from '../../common/canonical-json.js';
import { SystemClock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import { Artifact, Message, TaskState, type Task } from '../../protocol/a2a.js';
import { artifactUpdate, statusUpdate } from '../../protocol/build.js';
import { emptyTask } from '../../protocol/task-reducer.js';
import { GroupCommitTaskLog } from './group-commit-task-log.js';
import { statusKey } from '../domain/status-key.js';
import { InProcessSignals } from '../signals/in-process-signals.js';
import type { ClaimedTask } from '../store/claimed-task.js';
import type { AppendOutcome, EnlistedWork, PreparedAppend } from '../store/prepared-append.js';
import type { ReserveBytes, StoredTask, TaskStore } from '../store/task-store.js';
import type { Delegation, NewEvent, TaskAggregate, TaskEvent, TaskRecord } from '../task.js';

/** What the driver rejects with when the disk fails. */
const ON_FIRE = Object.assign(new Error('disk on fire'), { code: 'SQLITE_IOERR' });

/** As much of a store as the log uses, in memory; each commit waits until the test lets it go. */
class FakeStore {
  readonly batches: (readonly PreparedAppend[])[] = [];
  opened = 0;
  eventReads = 0;
  failOpen = false;
  metadata: Record<string, unknown> = {};
  /** Refuses an append of these, as a database does that cannot store what is in it. */
  refuses: (append: PreparedAppend) => boolean = () => false;
  private readonly tasks = new Map<string, StoredTask>();
  private waiting: ((answer: 'commit' | Error) => void)[] = [];

  put(id: string, eventsSince = 0): void {
    const record = { ...RECORD, id } as unknown as TaskRecord;
    const aggregate: TaskAggregate = {
      record,
      task: newTask(id),
      held: [],
      delegations: [DELEGATION],
    };
    this.tasks.set(id, {
      aggregate,
      version: 1,
      checkpointSize: 0,
      eventsSince,
      sizeSince: 0,
      storedBytes: 0,
      repeatedSince: 0,
      checkpointValues: 0,
      valuesSince: 0,
    });
  }

  /** Lets the oldest commit under way happen, or fail. */
  async answer(answer: 'commit' | Error = 'commit'): Promise<void> {
    while (this.waiting.length === 0) await turn();
    this.waiting.shift()?.(answer);
    await turn();
  }

  /** Holds every append that is stored ahead until the test lets it go, when it is set. */
  staging: Promise<void> | undefined;
  readonly staged: PreparedAppend[] = [];

  async stage(append: PreparedAppend): Promise<void> {
    this.staged.push(append);
    await this.staging;
  }

  async commit(batch: readonly PreparedAppend[]): Promise<AppendOutcome[]> {
    this.batches.push(batch);
    const answer = await new Promise<'commit' | Error>((resolve) => this.waiting.push(resolve));
    if (answer !== 'commit') throw answer;
    return batch.map((append) => this.take(append));
  }

  /** Bytes that each task takes while it is loaded. */
  loadedBytes = 0;

  async open(id: string, reserve?: ReserveBytes): Promise<StoredTask | undefined> {
    await reserve?.(this.loadedBytes);
    this.opened += 1;
    if (this.failOpen) throw ON_FIRE;
    const stored = this.tasks.get(id);
    return (
      stored && {
        ...stored,
        aggregate: { ...stored.aggregate, task: { ...newTask(id), metadata: this.metadata } },
      }
    );
  }

  load(id: string): Promise<TaskAggregate | undefined> {
    return Promise.resolve(this.tasks.get(id)?.aggregate);
  }

  events(id: string, afterSeq: number, limit: number): Promise<TaskEvent[]> {
    this.eventReads += 1;
    const logged = this.batches.flat().filter(({ taskId }) => taskId === id);
    const events = logged.flatMap((append) => append.events).filter(({ seq }) => seq > afterSeq);
    return Promise.resolve(events.slice(0, limit));
  }

  version(id: string): Promise<number | undefined> {
    return Promise.resolve(this.tasks.get(id)?.version);
  }

  /** Tells of a claim, which is committed outside of the log. */
  claimed: (claimed: readonly ClaimedTask[]) => void = () => undefined;

  onClaimed(listener: FakeStore['claimed']): void {
    this.claimed = listener;
  }

  private take(append: PreparedAppend): AppendOutcome {
    const { taskId, expectedVersion, record } = append;
    if (this.refuses(append)) return { kind: 'poisoned', cause: new Error('refused') };
    const known = this.tasks.get(taskId);
    if ((known?.version ?? 0) !== expectedVersion) return { kind: 'conflict' };
    if (known === undefined) {
      this.put(taskId);
      return { kind: 'committed' };
    }
    this.tasks.set(taskId, {
      ...known,
      version: expectedVersion + 1,
      aggregate: { ...known.aggregate, record },
    });
    return { kind: 'committed' };
  }
}

const RECORD = {
  contextId: 'c',
  principalId: 'p',
  organization: 'o',
  state: TaskState.TASK_STATE_SUBMITTED,
  seq: 2,
  plan: [],
};

const DELEGATION = {
  id: 'd',
  epoch: 1,
  agentId: 'agent',
  state: 'working',
  progress: { artifacts: [] },
} as unknown as Delegation;

function newTask(id: string): Task {
  return emptyTask(id, 'c');
}

function agentMessage(text: string): Message {
  return Message.fromJSON({ messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] });
}

function statusOf(taskId: string, message: Message): NewEvent['payload'] {
  const state = TaskState.TASK_STATE_WORKING;
  return statusUpdate({ taskId, contextId: 'c' }, state, NOW, message);
}

function ended(taskId: string): NewEvent['payload'] {
  return statusUpdate({ taskId, contextId: 'c' }, TaskState.TASK_STATE_COMPLETED, NOW);
}

function artifactOf(taskId: string): NewEvent['payload'] {
  const artifact = Artifact.fromJSON({ artifactId: 'result', parts: [{ text: 'all of it' }] });
  return artifactUpdate({ taskId, contextId: 'c' }, { artifact, append: false, lastChunk: true });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

function setUp(
  limits = { tasks: 100, endedTasks: 100, size: 1_000_000, largeSize: 1_000_000 },
  soleProcess = false,
) {
  const store = new FakeStore();
  const log = new GroupCommitTaskLog(
    store as unknown as TaskStore,
    new InProcessSignals(),
    new SystemClock(),
    SILENT,
    soleProcess,
    Infinity,
    limits,
  );
  const write = (id: string, state = TaskState.TASK_STATE_WORKING): Promise<number> =>
    log.update(id, ({ record }) => ({
      change: {
        events: [
          { kind: 'status', payload: statusUpdate({ taskId: id, contextId: 'c' }, state, NOW) },
        ],
      },
      result: record.seq + 1,
    }));
  return { store, log, write };
}

const NOW = new Date('2026-01-01T00:00:00Z');

describe('GroupCommitTaskLog', () => {
  it('forms the next batch while one is being committed', async () => {
    const { store, write } = setUp();
    for (const id of ['a', 'b', 'c']) store.put(id);
    const first = write('a');
    while (store.batches.length === 0) await turn();
    const rest = Promise.all([write('a'), write('b'), write('c'), write('a')]);
    await turn();
    await turn();
    expect(store.batches).toHaveLength(1);
    await store.answer();
    await store.answer();
    expect(await first).toBe(3);
    expect(await rest).toEqual([4, 3, 3, 5]);
    expect(store.batches[1]?.map(({ taskId, events }) => [taskId, events.length])).toEqual(
      expect.arrayContaining([
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ]),
    );
  });

  it('answers readers with the state before the commit under way is known', async () => {
    const { store, log, write } = setUp();
    store.put('a');
    const doomed = write('a').catch((error: Error) => error.message);
    while (store.batches.length === 0) await turn();
    const read = log.read('a', EVERYTHING);
    await store.answer(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    expect((await read)?.record.seq).toBe(2);
    expect(await doomed).toMatch('cannot use its database');
  });

  it('says that a task was updated when something of it was, not when it was looked at', async () => {
    const { store, log, write } = setUp(undefined, true);
    store.put('a');
    const updatedAt = async (): Promise<Date | undefined> =>
      (await log.read('a', EVERYTHING))?.record.updatedAt;
    const first = write('a');
    await store.answer();
    await first;
    const before = await updatedAt();
    expect(before).toBeInstanceOf(Date);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await log.update('a', () => ({ change: { events: [] }, result: null }));
    await log.update('a', () => ({ change: { events: [], delegations: [] }, result: null }));
    expect(await updatedAt()).toEqual(before);
    // The store of these tests runs none of it.
    const enlisted: EnlistedWork[] = [
      () => {
        throw new Error('not run');
      },
    ];
    const more = log.update('a', () => ({ change: { events: [] }, result: null, enlisted }));
    await store.answer();
    await more;
    expect((await updatedAt())!.getTime()).toBeGreaterThan(before!.getTime());
  });

  it('gives who reads along the committed events without the database, when it is the only writer', async () => {
    const { store, log, write } = setUp(undefined, true);
    store.put('a');
    const seqs = async (after: number): Promise<number[]> =>
      (await log.events('a', after, 200)).map(({ seq }) => seq);
    const first = write('a');
    await store.answer();
    await first;
    expect(await seqs(2)).toEqual([3]);
    const second = write('a');
    while (store.batches.length < 2) await turn();
    expect(await seqs(2)).toEqual([3]);
    await store.answer();
    await second;
    expect(await seqs(2)).toEqual([3, 4]);
    expect(await seqs(4)).toEqual([]);
    expect(store.eventReads).toBe(0);
    // What came before the task was loaded is in the database only.
    await seqs(1);
    expect(store.eventReads).toBe(1);
  });

  it('never gives events whose commit failed, nor trusts memory beside other writers', async () => {
    const alone = setUp(undefined, true);
    alone.store.put('a');
    const lost = alone.write('a').catch(() => 'lost');
    await alone.store.answer(new Error('gone'));
    expect(await lost).toBe('lost');
    await alone.log.events('a', 2, 200);
    expect(alone.store.eventReads).toBe(1);
    const shared = setUp();
    shared.store.put('a');
    const written = shared.write('a');
    await shared.store.answer();
    await written;
    expect(await shared.log.events('a', 2, 200)).toHaveLength(1);
    expect(shared.store.eventReads).toBe(1);
    // What it has committed itself it knows all the same.
    expect(shared.log.ownEvents('a', 2, 200)).toHaveLength(1);
    expect(shared.log.ownEvents('a', 1, 200)).toBeUndefined();
    const unknown = shared.write('a').catch(() => 'lost');
    await shared.store.answer(new Error('gone'));
    await unknown;
    expect(shared.log.ownEvents('a', 2, 200)).toBeUndefined();
    expect(shared.store.eventReads).toBe(1);
  });

  it('tells every caller of a batch when the database fails, and goes on from what it holds', async () => {
    const { store, write } = setUp();
    store.put('a');
    store.put('b');
    const lost = Promise.allSettled([write('a'), write('b')]);
    await store.answer(new Error('gone'));
    expect(await lost).toMatchObject([
      { status: 'rejected', reason: { reason: 'UNAVAILABLE' } },
      { status: 'rejected', reason: { reason: 'UNAVAILABLE' } },
    ]);
    const again = write('a');
    await store.answer();
    expect(await again).toBe(3);
  });

  it('refuses who waits when a task cannot be loaded, and tries again for the next', async () => {
    const { store, write } = setUp();
    store.put('a');
    store.failOpen = true;
    await expect(write('a')).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
      cause: ON_FIRE,
    });
    store.failOpen = false;
    const again = write('a');
    await store.answer();
    expect(await again).toBe(3);
  });

  it('refuses as unavailable what a read of the database cannot confirm', async () => {
    const { store, log, write } = setUp();
    store.put('a');
    const written = write('a');
    await store.answer();
    await written;
    store.version = () => Promise.reject(ON_FIRE);
    await expect(log.read('a', EVERYTHING)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    const looked = log.update('a', () => ({ change: { events: [] }, result: 'seen' }));
    await expect(looked).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('says of a task that cannot be rebuilt what is wrong, not that the database is away', async () => {
    const { store, log } = setUp();
    const broken = new Error('no such event');
    store.load = () => Promise.reject(broken);
    await expect(log.read('a', EVERYTHING)).rejects.toBe(broken);
  });

  it('keeps tasks in memory within its limits, the ones used last', async () => {
    const { store, write } = setUp({
      tasks: 2,
      endedTasks: 2,
      size: 1_000_000,
      largeSize: 1_000_000,
    });
    const touch = async (id: string): Promise<void> => {
      const written = write(id);
      await store.answer();
      await written;
    };
    for (const id of ['a', 'b', 'c']) store.put(id);
    for (const id of ['a', 'b', 'a', 'c', 'a']) await touch(id);
    expect(store.opened).toBe(3);
    await touch('b');
    expect(store.opened).toBe(4);
  });

  it('keeps open tasks in memory while others end, and of those the last', async () => {
    const { store, log, write } = setUp({
      tasks: 2,
      endedTasks: 1,
      size: 1_000_000,
      largeSize: 1_000_000,
    });
    const touch = async (id: string, state?: TaskState): Promise<void> => {
      const written = write(id, state);
      await store.answer();
      await written;
    };
    const look = (id: string): Promise<void> =>
      log.update(id, () => ({ change: { events: [] }, result: undefined }));
    for (const id of ['open', 'a', 'b']) store.put(id);
    await touch('open');
    for (const id of ['a', 'b']) await touch(id, TaskState.TASK_STATE_COMPLETED);
    await look('b');
    await touch('open');
    expect(store.opened).toBe(3);
    await look('a');
    expect(store.opened).toBe(4);
  });

  it('keeps no more than so much text in memory', async () => {
    const { store, write } = setUp({ tasks: 100, endedTasks: 100, size: 1, largeSize: 1 });
    store.put('a');
    for (let n = 0; n < 2; n += 1) {
      const written = write('a');
      await store.answer();
      await written;
    }
    expect(store.opened).toBe(2);
  });

  it('goes on after an append that cannot be written down, and fails its caller', async () => {
    const { store, write } = setUp();
    // Its end needs a checkpoint.
    store.put('a', 100);
    store.put('b');
    store.metadata = { big: 1n };
    const doomed = write('a', TaskState.TASK_STATE_COMPLETED).catch((error: Error) => error);
    expect(await doomed).toMatchObject({ reason: 'INTERNAL' });
    const good = write('b');
    await store.answer();
    expect(await good).toBe(3);
  });

  it('takes no more than so much text of one task into one append', async () => {
    const { store, log } = setUp();
    store.put('a');
    const message = agentMessage('x'.repeat(0.3 * 1024 * 1024));
    const writes = Array.from({ length: 5 }, () =>
      log.update('a', () => ({
        change: { events: [{ kind: 'status', payload: statusOf('a', message) }] },
        result: undefined,
      })),
    );
    await store.answer();
    await store.answer();
    await Promise.all(writes);
    expect(store.batches.map(([append]) => append?.events.length)).toEqual([4, 1]);
  });

  it('commits what is small while something large is stored ahead, and that alone', async () => {
    const { store, log } = setUp();
    store.put('large');
    store.put('small');
    let go: () => void = () => undefined;
    store.staging = new Promise((resolve) => (go = resolve));
    const write = (id: string, text: string): Promise<void> =>
      log.update(id, () => ({
        change: { events: [{ kind: 'status', payload: statusOf(id, agentMessage(text)) }] },
        result: undefined,
      }));
    const large = write('large', 'x'.repeat(300 * 1024));
    const first = write('small', 'a');
    await store.answer();
    await first;
    while (store.staged.length === 0) await turn();
    const second = write('small', 'b');
    await store.answer();
    await second;
    expect(store.batches.map((batch) => batch.map(({ taskId }) => taskId))).toEqual([
      ['small'],
      ['small'],
    ]);
    go();
    await store.answer();
    await large;
    expect(store.batches.at(-1)?.map(({ taskId }) => taskId)).toEqual(['large']);
    expect(store.staged.map(({ taskId }) => taskId)).toEqual(['large']);
  });

  it('commits what takes one turn while all places for what is stored in pieces are taken', async () => {
    const { store, log } = setUp();
    let go: () => void = () => undefined;
    store.staging = new Promise((resolve) => (go = resolve));
    const write = (id: string, kib: number): Promise<void> =>
      log.update(id, () => {
        const message = agentMessage('x'.repeat(kib * 1024));
        return {
          change: { events: [{ kind: 'status', payload: statusOf(id, message) }] },
          result: undefined,
        };
      });
    const ids = Array.from({ length: 9 }, (_, n) => `long ${n}`);
    for (const id of [...ids, 'short', 'grown']) store.put(id);
    const long = ids.map((id) => write(id, 1100));
    while (store.staged.length < 8) await turn();
    store.staging = undefined;
    const committed = async (...writes: Promise<void>[]): Promise<void> => {
      await store.answer();
      await Promise.all(writes);
    };
    // The second of a task is expected to be large, whatever it is.
    for (const kib of [300, 700, 300]) await committed(write('short', kib));
    await committed(write('grown', 300));
    const grown = Array.from({ length: 4 }, () => write('grown', 300));
    await committed(write('short', 300));
    expect(store.staged.map(({ taskId }) => taskId)).toEqual([
      ...ids.slice(0, 8),
      'short',
      'short',
      'short',
      'grown',
      'short',
    ]);
    go();
    for (let n = 0; n < 10; n += 1) await store.answer();
    await Promise.all([...long, ...grown]);
    expect(store.staged).toHaveLength(15);
  });

  it.each([
    ['small ones', 100, [2]],
    ['some that are large together', 300 * 1024, [4, 2]],
  ])(
    'has one append of a task under way after a large one, whatever comes at once: %s',
    async (_what, size, appends) => {
      const { store, log } = setUp();
      store.put('a');
      const done: string[] = [];
      const write = (name: string, text: string): Promise<void> =>
        log
          .update('a', () => ({
            change: { events: [{ kind: 'status', payload: statusOf('a', agentMessage(text)) }] },
            result: undefined,
          }))
          .then(() => void done.push(name));
      const first = write('first', 'x'.repeat(300 * 1024));
      await store.answer();
      await first;
      const count = appends.reduce((sum, events) => sum + events, 0);
      const next = Promise.all(
        Array.from({ length: count }, (_, n) => write(String(n), 'y'.repeat(size))),
      );
      for (let answered = 0; answered < appends.length; answered += 1) {
        const before = done.length;
        // Long work may rest before its next turn.
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect(done).toHaveLength(before);
        await store.answer();
      }
      await next;
      const [, ...made] = store.batches.flat();
      expect(made.map(({ events }) => events.length)).toEqual(appends);
      expect(made.map(({ expectedVersion }) => expectedVersion)).toEqual(
        appends.map((_, n) => 2 + n),
      );
    },
  );

  it('tells who waits for something large that cannot be stored ahead, and goes on', async () => {
    const { store, log } = setUp();
    store.put('a');
    store.staging = Promise.reject(ON_FIRE);
    const write = (text: string): Promise<void> =>
      log.update('a', () => ({
        change: { events: [{ kind: 'status', payload: statusOf('a', agentMessage(text)) }] },
        result: undefined,
      }));
    await expect(write('x'.repeat(300 * 1024))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    store.staging = undefined;
    const again = write('y');
    await store.answer();
    await again;
    expect(store.batches).toHaveLength(1);
  });

  it('keeps what one claim has to say together once it gives the delegation away', async () => {
    const { store, log } = setUp();
    store.put('a');
    const fence = { delegationId: 'd', epoch: 1 };
    const large = statusOf('a', agentMessage('x'.repeat(5 * 1024 * 1024)));
    const write = (event: NewEvent, owner: string | null): Promise<void> =>
      log.update(
        'a',
        () => ({
          change: { events: [event], delegations: [{ id: 'd', owner }] },
          result: undefined,
        }),
        fence,
      );
    const whole = Promise.all([
      write({ kind: 'status', payload: large }, null),
      write({ kind: 'artifact', payload: artifactOf('a') }, null),
      write({ kind: 'status', payload: ended('a') }, null),
    ]);
    await store.answer();
    await whole;
    expect(store.batches.map(([append]) => append?.events.length)).toEqual([3]);
    store.put('b');
    const parts = Promise.all([
      log.update('b', () => ({
        change: { events: [{ kind: 'status', payload: large }] },
        result: undefined,
      })),
      log.update('b', () => ({
        change: { events: [{ kind: 'status', payload: ended('b') }] },
        result: undefined,
      })),
    ]);
    await store.answer();
    await store.answer();
    await parts;
    expect(store.batches.slice(1).map(([append]) => append?.events.length)).toEqual([1, 1]);
  });

  it('hashes a long message before a decision that reads its hash', async () => {
    const { store, log } = setUp();
    store.put('a');
    const message = agentMessage('x'.repeat(5 * 1024 * 1024));
    const payload = statusOf('a', message);
    let made = 0;
    const key = log.update('a', () => {
      made += 1;
      const status = { state: TaskState.TASK_STATE_WORKING, message, timestamp: undefined };
      return { change: { events: [{ kind: 'status', payload }] }, result: statusKey(status) };
    });
    await store.answer();
    const content = [message.messageId, [{ text: 'x'.repeat(5 * 1024 * 1024) }], null];
    const digest = hash('sha256', canonicalJson(content), 'base64url').slice(0, 22);
    expect(await key).toBe(`${TaskState.TASK_STATE_WORKING}:${digest}@`);
    expect(made).toBe(2);
  });

  it('hashes all long messages that one decision reads, also where it makes them anew', async () => {
    const { store, log } = setUp();
    store.put('a');
    const messages = ['x', 'y'].map((text) => agentMessage(text.repeat(2 * 1024 * 1024)));
    let made = 0;
    const keys = log.update('a', () => {
      made += 1;
      const result = messages.map((message) =>
        statusKey({
          state: TaskState.TASK_STATE_WORKING,
          message: { ...message },
          timestamp: undefined,
        }),
      );
      return { change: { events: [{ kind: 'status', payload: ended('a') }] }, result };
    });
    await store.answer();
    expect(new Set(await keys).size).toBe(2);
    expect(made).toBe(3);
  });

  it('adds nothing of a claim after what was lost with the database', async () => {
    const { store, log } = setUp();
    store.put('a');
    const large = agentMessage('x'.repeat(0.6 * 1024 * 1024));
    const fence = { delegationId: 'd', epoch: 1 };
    const write = (payload: NewEvent['payload']): Promise<void> =>
      log.update(
        'a',
        () => ({ change: { events: [{ kind: 'status', payload }] }, result: undefined }),
        fence,
      );
    // The first two fill one append, so that the third is left for the next.
    const written = Promise.allSettled([
      write(statusOf('a', large)),
      write(statusOf('a', large)),
      write(ended('a')),
    ]);
    await store.answer(new Error('gone'));
    expect((await written).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect((await log.read('a', EVERYTHING))?.record.seq).toBe(2);
  });

  it('ends a task as failed before what came after an update that cannot be stored', async () => {
    const { store, log } = setUp();
    store.put('a');
    store.refuses = ({ events }) => events.some(({ kind }) => kind === 'artifact');
    const write = (event: NewEvent): Promise<void> =>
      log.update('a', () => ({ change: { events: [event] }, result: undefined }));
    const chunk = write({ kind: 'artifact', payload: artifactOf('a') });
    const end = write({ kind: 'status', payload: ended('a') });
    const written = Promise.allSettled([chunk, end]);
    // Both together, the artifact alone, then the end.
    for (let commits = 0; commits < 3; commits += 1) await store.answer();
    expect((await written).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await log.read('a', EVERYTHING))?.record.state).toBe(TaskState.TASK_STATE_FAILED);
  });

  it('loads no more tasks than fit into memory until those before are decided on, or cannot be', async () => {
    const { store, log, write } = setUp({
      tasks: 100,
      endedTasks: 100,
      size: 1000,
      largeSize: 1000,
    });
    store.loadedBytes = 400;
    for (const id of ['a', 'b', 'c', 'd']) store.put(id);
    const first = write('a');
    const looked = log.update('b', () => ({ change: { events: [] }, result: 'seen' }));
    const others = Promise.all([write('unknown').catch(String), write('c'), write('d')]);
    while (store.batches.length === 0) await turn();
    expect(store.opened).toBe(1);
    await store.answer();
    await first;
    expect(await looked).toBe('seen');
    await store.answer();
    await store.answer();
    expect(await others).toEqual(['HubError: Task not found', 3, 3]);
    expect(store.opened).toBe(5);
    expect(store.batches.map((batch) => batch.map(({ taskId }) => taskId))).toEqual([
      ['a'],
      ['c'],
      ['d'],
    ]);
  });

  it('counts a task that a claim had loaded once more only once, and no longer than until it is decided on', async () => {
    const limits = { tasks: 100, endedTasks: 100, size: 1000, largeSize: 1000 };
    const { store, write } = setUp(limits);
    for (const id of ['x', 'a', 'c']) store.put(id);
    const before = write('x');
    while (store.batches.length === 0) await turn();
    // Two loads of it fit at once; with what either would keep for ever, that of the next task would not.
    store.loadedBytes = 200;
    const first = write('a');
    while (store.opened < 2) await turn();
    await turn();
    store.claimed([{ taskId: 'a', version: 9, delegations: [], adopted: new Set() }]);
    const second = write('a');
    while (store.opened < 3) await turn();
    await store.answer();
    await store.answer();
    expect(await Promise.all([before, first, second])).toEqual([3, 3, 4]);
    store.loadedBytes = 400;
    const next = write('c');
    await store.answer();
    expect(await next).toBe(3);
  });

  it('gives a task as it was made, however much came with its request, and then decides on it in memory', async () => {
    const { store, log, write } = setUp({
      tasks: 100,
      endedTasks: 100,
      size: 100_000,
      largeSize: 100_000,
    });
    const requestMetadata = { note: 'x'.repeat(90_000) };
    const record = { ...RECORD, id: 'new', seq: 0, requestMetadata } as unknown as TaskRecord;
    const first = statusOf('new', agentMessage('hello'));
    const created = log.create({
      record,
      firstUpdate: { events: [{ kind: 'status', payload: first }] },
      idempotency: null,
    });
    await store.answer();
    expect(await created).toMatchObject({
      kind: 'created',
      aggregate: { task: { artifacts: [], status: { message: { parts: [expect.anything()] } } } },
    });
    const written = write('new');
    await store.answer();
    await written;
    const seen = log.update('new', ({ task }) => ({
      change: { events: [] },
      result: task.artifacts,
    }));
    expect(await seen).toEqual([]);
    // To leave its contents to the log would free next to nothing.
    expect(store.opened).toBe(0);
  });

  it('keeps small tasks in memory beside one that is very large', async () => {
    const { store, log, write } = setUp({
      tasks: 100,
      endedTasks: 100,
      size: 100_000,
      largeSize: 1,
    });
    store.put('small');
    store.put('large');
    const touch = async (written: Promise<unknown>): Promise<void> => {
      await store.answer();
      await written;
    };
    await touch(write('small'));
    const message = agentMessage('x'.repeat(200_000));
    await touch(
      log.update('large', () => ({
        change: { events: [{ kind: 'status', payload: statusOf('large', message) }] },
        result: undefined,
      })),
    );
    const opened = store.opened;
    await touch(write('small'));
    expect(store.opened).toBe(opened);
  });
});
