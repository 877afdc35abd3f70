import { BackgroundJob } from '../common/background-job.js';
import type { Clock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import type { Database } from './database.js';

/** How often a worker says that it is there, and everybody looks who is. */
const LOOK_EVERY_MS = 2000;
const FAILURE = 'the number of workers could not be read';
/**
 * A worker that has said nothing for so long has gone, or cannot reach the database; so has one that was seen that far ahead, by a clock
 * that was set back since: who is there says so again.
 */
const SEEN_FOR_MS = 20_000;
const FORGOTTEN_AFTER_MS = 10 * SEEN_FOR_MS;
/** Said to who looks at a task that waits for a worker. */
export const NO_WORKERS =
  'No process of the hub works on tasks at the moment: this one waits until one does.';

/**
 * Knows how many processes work on tasks and webhooks, so that a hub of processes with the role `api` alone
 * does not take in work silently. On SQLite there is one process, which is a worker or not.
 */
export class WorkerWatch {
  private newest: number | undefined;
  private startedAt: Date | undefined;
  private warned = false;
  private readonly looking: BackgroundJob;

  /** `id` names this process; `isWorker`: it works itself, from {@link start} to {@link stop}. */
  constructor(
    private readonly database: Pick<Database, 'dialect' | 'read' | 'write'>,
    readonly id: string,
    private readonly isWorker: boolean,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'info' | 'warn'>,
  ) {
    const rules = {
      name: 'workers',
      failure: FAILURE,
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    };
    this.looking = new BackgroundJob(rules, clock, log);
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    this.startedAt = this.clock.now();
    await this.look();
    if (this.isShared) this.looking.start();
  }

  /** Others hear at once that this one works no more. */
  async stop(): Promise<void> {
    await this.looking.stop();
    if (!this.isShared || !this.isWorker || this.newest === undefined) return;
    const { id } = this;
    try {
      await this.database.write((tx) => tx.run('DELETE FROM workers WHERE id = ?', [id]));
    } catch (error) {
      this.log.warn(
        { err: error },
        'this worker could not remove its row from the workers table; other processes notice within seconds',
      );
    }
  }

  /** How many work, as of the last look; undefined before the first. */
  get count(): number | undefined {
    return this.newest;
  }

  /** Since when this process works, where it is the only one that does; null: there are others, or it does not. */
  get upSince(): Date | null {
    return this.isWorker && this.newest === 1 ? (this.startedAt ?? null) : null;
  }

  /** No worker is running: what comes in waits. */
  get hasNoWorkers(): boolean {
    return this.newest === 0;
  }

  /** Looks now. */
  async look(): Promise<void> {
    try {
      this.newest = this.isShared ? await this.seen() : this.isWorker ? 1 : 0;
    } catch (error) {
      this.log.warn({ err: error }, FAILURE);
      return;
    }
    if (this.hasNoWorkers === this.warned) return;
    this.warned = this.hasNoWorkers;
    if (this.warned) {
      this.log.warn(
        {},
        'no worker process is running: tasks and webhooks wait. Start a process with the role worker or all on the same database',
      );
    } else this.log.info({ workers: this.newest }, 'a worker process is running again');
  }

  private get isShared(): boolean {
    return this.database.dialect !== 'sqlite';
  }

  /** Says that this one works, if it does, and counts. */
  private async seen(): Promise<number> {
    const now = this.clock.now().getTime();
    const { id } = this;
    if (this.isWorker) {
      await this.database.write(function* (tx) {
        yield* tx.run(
          `INSERT INTO workers (id, seen_at) VALUES (?, ?)
           ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
          [id, now],
        );
        yield* tx.run('DELETE FROM workers WHERE seen_at < ? OR seen_at > ?', [
          now - FORGOTTEN_AFTER_MS,
          now + FORGOTTEN_AFTER_MS,
        ]);
      }, 'may-be-lost');
    }
    const [row] = await this.database.read<{ n: number }>(
      'SELECT COUNT(*) AS n FROM workers WHERE seen_at > ? AND seen_at <= ?',
      [now - SEEN_FOR_MS, now + SEEN_FOR_MS],
    );
    return row?.n ?? 0;
  }
}
