import { setImmediate as nextTurn } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { HubError } from '../common/hub-error.js';
import { tookLong } from '../common/long-work.js';
import type { DiskSync } from './disk-sync.js';

/** Pages of the log (16 MiB) before they are copied into the file: those that change often are copied once. */
const COPY_PAGES = 4000;
/** The same (8 MiB) behind what was large, of which each page is copied: it never takes long. */
const COPY_LARGE_PAGES = 2048;

/** Connections that are never closed, nor collected. */
const kept: BetterSqlite3.Database[] = [];

interface Checkpoint {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * The write-ahead log of a SQLite file, brought to the disk and copied into the file without ever
 * letting the event loop wait for the disk. SQLite's own `synchronous=FULL` would: it syncs the log
 * in each COMMIT, and log and file when it copies. The same syncs are made here, in the same order, by
 * threads of their own (ADR 0040).
 */
export class WriteAheadLog {
  /** Something has been committed for which no sync has begun since. */
  private isBehind = false;
  private copyAt = 0;
  private running: Promise<void> | null = null;
  /** Begins when the running one is over, for all that is committed until then. */
  private next: Promise<void> | null = null;

  constructor(
    private readonly connection: BetterSqlite3.Database,
    private readonly disk: DiskSync,
  ) {
    // Not OFF: the head of a log that begins anew has to be on the disk before its pages.
    connection.pragma('synchronous = NORMAL');
    connection.pragma('wal_autocheckpoint = 0');
  }

  /** When all is on the disk for which {@link sync} was asked; null when it is. */
  get pending(): Promise<void> | null {
    return this.next ?? this.running;
  }

  /** Something has been committed. */
  committed(): void {
    this.isBehind = true;
  }

  /**
   * Resolves when all that is committed now is on the disk; many who ask at once share one sync. Rejects
   * with UNAVAILABLE when the disk did not keep it, and nobody knows then what is on it.
   */
  sync(): Promise<void> {
    if (this.running === null) return this.begin();
    this.next ??= this.running.then(() => {
      this.next = null;
      return this.begin();
    });
    return this.next;
  }

  /** Whether the log has grown so much that it should be copied now. */
  isDue(isLarge: boolean): boolean {
    const least = this.copyAt + (isLarge ? COPY_LARGE_PAGES : COPY_PAGES);
    try {
      const [state] = this.connection.pragma('wal_checkpoint(NOOP)') as [Checkpoint];
      return state.log - state.checkpointed >= least;
    } catch {
      // It is asked again behind the next commit.
      return false;
    }
  }

  /**
   * Copies the log into the file, so that it begins anew. Nothing may be committed before it resolves.
   * Rejects as {@link sync} does.
   */
  async copy(): Promise<void> {
    if (this.isBehind) await this.sync();
    else await this.pending;
    // Those who have waited for the disk go first.
    await nextTurn();
    const began = performance.now();
    this.copyAt = this.copyPages();
    // Before the next COMMIT, which may write over what was copied.
    await this.disk.file().catch(notOnDisk);
    tookLong(performance.now() - began);
  }

  /** After the connection is closed. */
  close(): void {
    this.disk.close();
  }

  /**
   * Keeps the log as it is, beyond the end of this process, when the disk has failed: the last connection to
   * close would copy what may be damaged into the file, and remove it. The next start reads the log by its
   * checksums.
   */
  keep(): void {
    // Never closed. One that only reads copies nothing, and while it is open no other is the last one.
    const reader = new BetterSqlite3(this.connection.name, { readonly: true });
    reader.pragma('user_version');
    kept.push(reader);
  }

  private begin(): Promise<void> {
    this.isBehind = false;
    const running = this.disk.log().then(() => {
      if (this.running === running) this.running = null;
    }, notOnDisk);
    this.running = running;
    return running;
  }

  /** Copies without waiting for the disk; gives how many pages could not be copied. */
  private copyPages(): number {
    // It would wait for the disk twice.
    this.connection.pragma('synchronous = OFF');
    try {
      const [result] = this.connection.pragma('wal_checkpoint(PASSIVE)') as [Checkpoint];
      // Another program may still read from the log (a backup).
      return result.log - result.checkpointed;
    } catch {
      // A full disk, for instance: the next COMMIT tells of it, and a later copy tries again.
      return this.copyAt + COPY_PAGES;
    } finally {
      this.connection.pragma('synchronous = NORMAL');
    }
  }
}

function notOnDisk(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `the disk of the database did not keep what was written (${why}); see to the disk, then restart the hub`;
  throw new HubError('UNAVAILABLE', text, { cause });
}
