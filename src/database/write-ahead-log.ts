import { BetterSqlite3, type SqliteConnection, type SqliteStatement } from './better-sqlite3.js';
import { HubError } from '../common/hub-error.js';
import { tookLong } from '../common/long-work.js';
import type { Checkpoint } from './checkpoint-thread.js';
import type { DiskSync } from './disk-sync.js';

/** Pages of the log (16 MiB) before they are copied into the file: those that change often are copied once. */
const COPY_PAGES = 4000;
/** The same (8 MiB) behind what was large, of which each page is copied: it never takes long. */
const COPY_LARGE_PAGES = 2048;
/** So few pages (1 MiB) are copied while nothing is committed. */
const LAST_PAGES = 256;
/** So many pages (64 MiB) wait to be copied at most: then commits wait. */
const MAX_PAGES = 16_384;
/** How often what was committed during a copy is copied without holding commits back. */
const MAX_FREE_COPIES = 3;

/** Connections that are never closed, nor collected. */
const kept: SqliteConnection[] = [];

/**
 * The write-ahead log of a SQLite file, brought to the disk and copied into the file without ever
 * letting the event loop wait for the disk. SQLite's own `synchronous=FULL` would: it syncs the log
 * in each COMMIT, and log and file when it copies. The same syncs are made here, in the same order, by
 * threads of their own (ADR 0040).
 */
export class WriteAheadLog {
  /** Pages that could not be copied: another program (a backup) reads or copies them, or the copy failed. */
  private uncopied = 0;
  private copying: Promise<void> | null = null;
  /** Copies made since the log became long; 0 while it is short. */
  private copies = 0;
  /** The log when it was last looked at: it has begun anew when there is less of it, or less of it is copied. */
  private last: Checkpoint = { log: 0, checkpointed: 0 };
  private running: Promise<void> | null = null;
  /** Begins when the running one is over, for all that is committed until then. */
  private next: Promise<void> | null = null;
  private readonly lengthOf: SqliteStatement<[], Checkpoint>;

  /**
   * `failed` is called once the disk has failed, `notCopied` for each copy that failed otherwise: the log grows until
   * one succeeds.
   */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly disk: DiskSync,
    private readonly failed: (error: Error) => void,
    private readonly notCopied: (error: Error) => void,
  ) {
    // Not OFF: the head of a log that begins anew has to be on the disk before its pages.
    connection.pragma('synchronous = NORMAL');
    connection.pragma('wal_autocheckpoint = 0');
    this.lengthOf = connection.prepare('PRAGMA wal_checkpoint(NOOP)');
  }

  /** When all is on the disk for which {@link sync} was asked; null when it is. */
  get pending(): Promise<void> | null {
    return this.next ?? this.running;
  }

  /**
   * Resolves when all that is committed now is on the disk; many who ask at once share one sync. Rejects
   * with UNAVAILABLE when the disk did not keep it, and it is unknown then what is on it.
   */
  sync(): Promise<void> {
    if (this.running === null) return this.begin();
    this.next ??= this.running.then(() => {
      this.next = null;
      return this.begin();
    });
    return this.next;
  }

  /**
   * Copies the log into the file once it is long, so that it begins anew. Called after each commit; gives
   * when the next one may be made, null when it may at once: commits go on until little is left to copy.
   */
  copyIfLong(isLarge: boolean): Promise<void> | null {
    const length = this.length();
    if (length === null) return null;
    const { last } = this;
    if (length.log < last.log || length.checkpointed < last.checkpointed) this.begunAnew();
    this.last = length;
    const left = length.log - length.checkpointed - this.uncopied;
    if (this.copying !== null) return left > MAX_PAGES ? this.copying : null;
    if (this.copies === 0 && left < (isLarge ? COPY_LARGE_PAGES : COPY_PAGES)) return null;
    this.copies += 1;
    if (left > LAST_PAGES && this.copies <= MAX_FREE_COPIES) {
      void this.copy();
      return null;
    }
    this.copies = 0;
    return this.copy();
  }

  /** Resolves when nothing is copied any more. While the connection is open. */
  async endCopies(): Promise<void> {
    await this.copying;
    await this.disk.endCopies();
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

  private begunAnew(): void {
    this.copies = 0;
    this.uncopied = 0;
  }

  private begin(): Promise<void> {
    const running = this.disk.log().then(() => {
      if (this.running === running) this.running = null;
    }, notOnDisk);
    this.running = running;
    return running;
  }

  /** Null when it cannot be known now: it is asked again behind the next commit. */
  private length(): Checkpoint | null {
    try {
      return this.lengthOf.get() ?? null;
    } catch {
      return null;
    }
  }

  /** The next copy is made when the log is longer by as much as is copied at once. */
  private tryLater(): void {
    this.copies = 0;
    const length = this.length() ?? this.last;
    this.uncopied = length.log - length.checkpointed;
  }

  private copy(): Promise<void> {
    const began = performance.now();
    this.copying = this.disk
      .copy()
      .then(
        ({ log, checkpointed }) => {
          if (log < 0) this.tryLater();
          else this.uncopied = log - checkpointed;
        },
        (error: Error & { code?: string }) => {
          if (error.code === 'SQLITE_IOERR_FSYNC') notOnDisk(error);
          this.tryLater();
          this.notCopied(error);
        },
      )
      .catch(this.failed)
      .finally(() => {
        this.copying = null;
        tookLong(performance.now() - began);
      });
    return this.copying;
  }
}

function notOnDisk(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  const text = `the disk of the database did not keep what was written (${why}); see to the disk, then restart the hub`;
  throw new HubError('UNAVAILABLE', text, { cause });
}
