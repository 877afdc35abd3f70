import { heapShare } from '../../common/heap-share.js';
import type { TaskWriter } from './task-writer.js';

/** How much the log keeps in memory. Tasks that are being written do not count as over the limit. */
export interface CacheLimits {
  readonly tasks: number;
  /** Tasks that have ended: who waited for one reads it right after its end, and hardly anybody later. */
  readonly endedTasks: number;
  /** Memory they take, roughly, in bytes: a character one, a value of theirs as much as it takes parsed. */
  readonly size: number;
  /** The same of large tasks, which have room of their own: one of them pushes no small one out. */
  readonly largeSize: number;
}

const MIB = 1024 * 1024;
const MAX_SIZE = 64 * MIB;
const MAX_LARGE_SIZE = 256 * MIB;
/** A process with a small heap keeps less: a character may be two bytes of it. */
const PART_OF_HEAP = 1 / 16;

/** What this process keeps. */
export function cacheLimits(): CacheLimits {
  return {
    tasks: 10_000,
    endedTasks: 1_000,
    size: heapShare(PART_OF_HEAP, MAX_SIZE),
    largeSize: heapShare(2 * PART_OF_HEAP, MAX_LARGE_SIZE),
  };
}

/** A task is large from this share of the room of the small ones on. */
const LARGE_SHARE = 1 / 16;
/** A task that goes on is outlined once it takes this share of the room of large tasks. */
const OUTLINE_SHARE = 1 / 16;
/** And over a limit, from this share of the smallest large task on: less is not worth it. */
const LEAST_SHARE = 1 / 16;

/** The writers of the tasks in use (ADR 0049). */
export class WriterCache {
  private readonly open: Shelf;
  private readonly ended: Shelf;
  private readonly large: Shelf;
  private readonly shelves: readonly Shelf[];
  private readonly largeFrom: number;
  private readonly outlineFrom: number;
  private readonly leastOutlined: number;

  constructor({ tasks, endedTasks, size, largeSize }: CacheLimits) {
    this.open = new Shelf(tasks, size);
    this.ended = new Shelf(endedTasks, size);
    this.large = new Shelf(tasks, largeSize);
    this.shelves = [this.open, this.ended, this.large];
    this.largeFrom = size * LARGE_SHARE;
    this.outlineFrom = Math.max(this.largeFrom, largeSize * OUTLINE_SHARE);
    this.leastOutlined = this.largeFrom * LEAST_SHARE;
  }

  get(taskId: string): TaskWriter | undefined {
    for (const shelf of this.shelves) {
      const writer = shelf.get(taskId);
      if (writer !== undefined) return writer;
    }
    return undefined;
  }

  /** Counts the writer as used now, and as what and as large as it is now. */
  touch(writer: TaskWriter): void {
    this.remove(writer.taskId);
    if (!writer.isOfEnded && writer.contentsSize >= this.outlineFrom) writer.outline();
    this.shelfOf(writer).add(writer);
  }

  remove(taskId: string): void {
    for (const shelf of this.shelves) shelf.remove(taskId);
  }

  /** Over a limit: outlines tasks that go on, then forgets idle writers; those not used for longest first. */
  trim(): void {
    for (const shelf of [this.open, this.large]) {
      for (const writer of shelf.tooLarge()) this.lighten(writer, shelf);
    }
    for (const shelf of this.shelves) shelf.trim();
  }

  /** Outlines or forgets it; one that stays on its shelf counts as used when it was. */
  private lighten(writer: TaskWriter, shelf: Shelf): void {
    if (writer.isOfEnded) {
      if (writer.idle) this.remove(writer.taskId);
      return;
    }
    if (writer.isOutlined || writer.contentsSize < this.leastOutlined) return;
    writer.outline();
    if (!writer.isOutlined) return;
    const after = this.shelfOf(writer);
    if (after !== shelf) shelf.remove(writer.taskId);
    after.add(writer);
  }

  /** One that is outlined stays with the large ones, however little is left of it: it pushes no small one out. */
  private shelfOf(writer: TaskWriter): Shelf {
    if (writer.size >= this.largeFrom) return this.large;
    if (writer.isOfEnded) return this.ended;
    return writer.isOutlined ? this.large : this.open;
  }
}

class Shelf {
  /** In order of last use, with the size each was counted with. */
  private readonly writers = new Map<string, { writer: TaskWriter; size: number }>();
  private size = 0;

  constructor(
    private readonly maxTasks: number,
    private readonly maxSize: number,
  ) {}

  get(taskId: string): TaskWriter | undefined {
    return this.writers.get(taskId)?.writer;
  }

  add(writer: TaskWriter): void {
    const { size } = writer;
    this.size += size - (this.writers.get(writer.taskId)?.size ?? 0);
    // One that is there keeps its place.
    this.writers.set(writer.taskId, { writer, size });
  }

  remove(taskId: string): void {
    const known = this.writers.get(taskId);
    if (known === undefined) return;
    this.size -= known.size;
    this.writers.delete(taskId);
  }

  /** The oldest first, until what they take together fits. */
  *tooLarge(): Generator<TaskWriter, void, undefined> {
    yield* this.while(() => this.size > this.maxSize);
  }

  trim(): void {
    const isOver = (): boolean => this.writers.size > this.maxTasks || this.size > this.maxSize;
    for (const writer of this.while(isOver)) if (writer.idle) this.remove(writer.taskId);
  }

  private *while(isOver: () => boolean): Generator<TaskWriter, void, undefined> {
    if (!isOver()) return;
    // One that is removed meanwhile, or resized, does not disturb it.
    for (const { writer } of this.writers.values()) {
      if (!isOver()) return;
      yield writer;
    }
  }
}
