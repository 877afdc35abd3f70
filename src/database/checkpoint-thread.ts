import { Worker } from 'node:worker_threads';
import { sqlitePackageFile } from './better-sqlite3.js';

/** The frames of a write-ahead log, and how many of them have been copied into the file; -1 when that cannot be known now. */
export interface Checkpoint {
  readonly log: number;
  readonly checkpointed: number;
}

interface Answer {
  readonly checkpoint?: Checkpoint;
  readonly failure?: { readonly message: string; readonly code: string };
}

interface PendingRequest {
  readonly thread: Worker;
  readonly resolve: (checkpoint: Checkpoint) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What the thread runs: a connection of its own that syncs as `synchronous=NORMAL` says: the log before
 * it is copied, and the file once all of the log is in it. A text, since a thread cannot run TypeScript.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const Sqlite = require(workerData.sqlite);
const connection = new Sqlite(workerData.path, { fileMustExist: true, timeout: 0 });
connection.pragma('synchronous = NORMAL');
connection.pragma('wal_autocheckpoint = 0');
parentPort.on('message', (what) => {
  if (what === 'close') {
    connection.close();
    return parentPort.close();
  }
  try {
    const [{ log, checkpointed }] = connection.pragma('wal_checkpoint(PASSIVE)');
    parentPort.postMessage({ checkpoint: { log, checkpointed } });
  } catch ({ message, code = '' }) {
    parentPort.postMessage({ failure: { message, code } });
  }
});
`;

/**
 * Copies the write-ahead log of a SQLite file into the file, in a thread of its own: neither copying nor
 * the disk holds the event loop, and commits go on meanwhile. The thread begins with the first copy.
 */
export class CheckpointThread {
  private thread: Worker | null = null;
  private requested: PendingRequest | null = null;

  constructor(private readonly path: string) {}

  /**
   * Copies what is in the log as it begins; one at a time. SQLite keeps the log until all of it is in the
   * file and that is on the disk. Rejects with SQLite's error and its `code`.
   */
  copy(): Promise<Checkpoint> {
    return new Promise((resolve, reject) => {
      const thread = (this.thread ??= this.begin());
      this.requested = { thread, resolve, reject };
      thread.ref();
      thread.postMessage('copy');
    });
  }

  /** Waits for a copy under way. Before the last connection of the process is closed. */
  async close(): Promise<void> {
    const { thread } = this;
    if (thread === null) return;
    this.thread = null;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  private begin(): Worker {
    const sqlite = sqlitePackageFile();
    const thread = new Worker(PROGRAM, {
      eval: true,
      workerData: { sqlite, path: this.path },
      name: 'checkpoint',
    });
    thread.on('message', ({ checkpoint, failure }: Answer) => {
      // Idle, it keeps no process from its end.
      thread.unref();
      if (checkpoint !== undefined) this.requested?.resolve(checkpoint);
      else
        this.requested?.reject(Object.assign(new Error(failure?.message), { code: failure?.code }));
      this.requested = null;
    });
    thread.on('error', (error: Error) => this.lost(thread, error));
    thread.on('exit', () =>
      this.lost(thread, new Error('the thread that copies the log has ended')),
    );
    return thread;
  }

  /** The next copy begins another thread. */
  private lost(thread: Worker, error: Error): void {
    if (this.thread === thread) this.thread = null;
    if (this.requested?.thread !== thread) return;
    this.requested.reject(error);
    this.requested = null;
  }
}
