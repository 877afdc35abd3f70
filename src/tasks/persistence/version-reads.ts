import type { Database } from '../../database/database.js';
import { listOf } from '../../database/multi-row.js';

/** Versions read in one query at most. */
const MAX_IDS = 64;
/** Queries under way at once: one whose connection hangs holds up its own readers only. */
const MAX_QUERIES = 4;

interface Reader {
  readonly taskId: string;
  readonly resolve: (version: number | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the versions of tasks, those that are asked for in one turn of the event loop, or while enough others are read, in
 * one query: on PostgreSQL each costs a round trip, and whoever answers from memory asks for one first. What is answered was
 * read after it was asked for.
 */
export class VersionReads {
  private waiting: Reader[] = [];
  private queries = 0;
  private isScheduled = false;

  constructor(private readonly database: Database) {}

  /** Undefined when there is no such task. */
  read(taskId: string): Promise<number | undefined> {
    // No id with U+0000 exists, and PostgreSQL refuses to look for one.
    if (taskId.includes('\u0000')) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.waiting.push({ taskId, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.length === 0 || this.queries >= MAX_QUERIES) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.queries += 1;
      void this.readSome(this.waiting.splice(0, MAX_IDS)).then(() => {
        this.queries -= 1;
        this.schedule();
      });
      this.schedule();
    });
  }

  private async readSome(readers: readonly Reader[]): Promise<void> {
    const ids = readers.map(({ taskId }) => taskId);
    // Few different texts: up to the next power of two, the last one fills the list.
    const count = 2 ** Math.ceil(Math.log2(ids.length));
    const params = [...ids, ...Array<string>(count - ids.length).fill(ids.at(-1)!)];
    try {
      const rows = await this.database.read<{ id: string; version: number }>(
        `SELECT id, version FROM tasks WHERE id IN ${listOf(count)}`,
        params,
      );
      const versions = new Map(rows.map(({ id, version }) => [id, version]));
      for (const { taskId, resolve } of readers) resolve(versions.get(taskId));
    } catch (error) {
      for (const { reject } of readers) reject(error);
    }
  }
}
