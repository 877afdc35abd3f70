import {
  AgentClient,
  type Agent,
  type AgentCallOptions,
  type AgentSend,
} from '../../../src/agents/index.js';
import { Clock } from '../../../src/common/clock.js';
import { Database, type Durability } from '../../../src/database/database.js';
import type { SqlValue, Tx, Work } from '../../../src/database/sql.js';
import type { Message, StreamResponse, Task } from '../../../src/protocol/a2a.js';
import type { Random } from '../fleet/random.js';
import type { SimClock } from './sim-clock.js';

/**
 * The life of one simulated process. Whatever it awaits of the world (the database, an agent, the clock)
 * passes {@link point} before and after; at the one where it is killed, and ever after, nothing it does
 * has an effect and nothing it waits for comes.
 */
export class Life {
  /** Points passed so far. */
  points = 0;
  alive = true;
  readonly died: Promise<void>;
  private die!: () => void;

  constructor(
    /** The number of the point at which it is killed; undefined: never. */
    private killAt: number | undefined,
    private readonly killed: (where: string) => void,
  ) {
    this.died = new Promise((resolve) => (this.die = resolve));
  }

  /** False when the process is dead from here on. */
  point(where: string): boolean {
    if (!this.alive) return false;
    this.points += 1;
    if (this.points === this.killAt) this.kill(where);
    return this.alive;
  }

  /** It is killed no more. */
  spare(): void {
    this.killAt = undefined;
  }

  /** Ends it without a word. */
  close(): void {
    this.alive = false;
    this.die();
  }

  async guard<T>(what: string, call: () => Promise<T>): Promise<T> {
    if (!this.point(`before ${what}`)) return never();
    try {
      const result = await call();
      return this.point(`after ${what}`) ? result : await never<T>();
    } catch (error) {
      if (!this.point(`at the failure of ${what}`)) return never();
      throw error;
    }
  }

  private kill(where: string): void {
    this.close();
    this.killed(where);
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** How a database fails, of a hundred writes. */
export interface DatabaseTrouble {
  /** It is away: nothing is written, or it is but nobody is told. */
  readonly away: number;
}

/**
 * The database as a process has it. What a dead one has asked for but not committed is not written.
 */
export class MortalDatabase extends Database {
  readonly dialect: Tx['dialect'];

  constructor(
    private readonly inner: Database,
    private readonly life: Life,
    private readonly trouble: DatabaseTrouble,
    private readonly random: Random,
  ) {
    super();
    this.dialect = inner.dialect;
  }

  write<T>(work: (tx: Tx) => Work<T>, durability?: Durability): Promise<T> {
    const { life, random, trouble } = this;
    const isAway = random.percent(trouble.away);
    const isWritten = !isAway || random.percent(50);
    return life.guard('a write', async () => {
      if (!isWritten) throw failure('SQLITE_IOERR');
      const result = await this.inner.write(function* (tx) {
        if (!life.alive) throw new Error('killed before the commit');
        return yield* refusing(work(tx));
      }, durability);
      if (isAway) throw failure('SQLITE_IOERR');
      return result;
    });
  }

  read<R>(sql: string, params?: readonly SqlValue[], isEnough?: (row: R) => boolean): Promise<R[]> {
    return this.life.guard('a read', () => this.inner.read<R>(sql, params, isEnough));
  }

  diskSpace(): ReturnType<Database['diskSpace']> {
    return this.inner.diskSpace();
  }

  check(): Promise<void> {
    return this.inner.check();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A text with this in it cannot be stored. */
export const UNSTORABLE = 'unstorable';

/** The same work, until it writes what cannot be stored. */
function* refusing<T>(work: Work<T>): Work<T> {
  let step = work.next();
  while (!step.done) {
    const { params } = step.value;
    if (params.some((each) => typeof each === 'string' && each.includes(UNSTORABLE))) {
      throw failure('SQLITE_TOOBIG');
    }
    step = work.next(yield step.value);
  }
  return step.value;
}

function failure(code: string): Error {
  return Object.assign(new Error(`the simulation says ${code}`), { code });
}

/** The clock as a process has it. */
export class MortalClock extends Clock {
  constructor(
    private readonly inner: SimClock,
    private readonly life: Life,
  ) {
    super();
    void life.died.then(() => inner.drop(life));
  }

  now(): Date {
    return this.inner.now();
  }

  monotonicMs(): number {
    return this.inner.monotonicMs();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { life } = this;
    await this.inner.sleep(ms, signal, life);
    if (!life.point('after a sleep')) await never();
  }
}

/** Agents as a process reaches them. What it has sent stays sent; what comes back finds nobody. */
export class MortalClient extends AgentClient {
  constructor(
    private readonly inner: AgentClient,
    private readonly life: Life,
  ) {
    super();
  }

  stream(agent: Agent, send: AgentSend, options: AgentCallOptions) {
    return this.events('a streamed send', () => this.inner.stream(agent, send, options));
  }

  send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    return this.life.guard('a send', () => this.inner.send(agent, send, options));
  }

  getTask(agent: Agent, id: string, options: AgentCallOptions): Promise<Task> {
    return this.life.guard('GetTask', () => this.inner.getTask(agent, id, options));
  }

  subscribe(agent: Agent, id: string, options: AgentCallOptions) {
    return this.events('a subscription', () => this.inner.subscribe(agent, id, options));
  }

  cancel(
    agent: Agent,
    id: string,
    options: AgentCallOptions,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    return this.life.guard('a cancel', () => this.inner.cancel(agent, id, options, metadata));
  }

  findTasksByMessage(
    agent: Agent,
    contextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    return this.life.guard('ListTasks', () =>
      this.inner.findTasksByMessage(agent, contextId, messageId, options),
    );
  }

  private async *events(
    what: string,
    open: () => AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { life } = this;
    if (!life.point(`before ${what}`)) await never();
    try {
      for await (const event of open()) {
        if (!life.point(`at an event of ${what}`)) await never();
        yield event;
      }
    } catch (error) {
      if (!life.point(`at the failure of ${what}`)) await never();
      throw error;
    }
    if (!life.point(`after ${what}`)) await never();
  }
}
