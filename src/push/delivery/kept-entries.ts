import type { TaskEvent } from '../../tasks/index.js';

/** Characters kept for one stream, and for all. */
const MOST_OF_STREAM = 16 * 1024;
const MOST = 2 * 1024 * 1024;

/**
 * Log entries that were read with those a stream has delivered, until it comes for them: the log of a small task is read
 * once, not for each of its events. Entries never change; whether they may still be sent is asked of the stream. They are
 * small, and beside the budget for what streams hold of the log.
 */
export class KeptEntries {
  /** By stream, longest kept first. */
  private readonly kept = new Map<string, Kept>();
  private size = 0;

  /** Those from `seq` on, which are not kept any more; undefined without any. */
  take(streamId: string, seq: number): readonly TaskEvent[] | undefined {
    const entries = this.remove(streamId)?.entries;
    return entries?.[0]?.seq === seq ? entries : undefined;
  }

  /** The first of them, as many as are small, instead of those kept for the stream before. */
  keep(streamId: string, next: readonly TaskEvent[]): void {
    this.remove(streamId);
    const entries: TaskEvent[] = [];
    let size = 0;
    for (const entry of next) {
      if (size + entry.body.length > MOST_OF_STREAM) break;
      size += entry.body.length;
      entries.push(entry);
    }
    if (entries.length === 0) return;
    this.kept.set(streamId, { entries, size });
    this.size += size;
    for (const [longest] of this.kept) {
      if (this.size <= MOST) break;
      this.remove(longest);
    }
  }

  forget(streamId: string): void {
    this.remove(streamId);
  }

  private remove(streamId: string): Kept | undefined {
    const kept = this.kept.get(streamId);
    if (kept === undefined) return undefined;
    this.kept.delete(streamId);
    this.size -= kept.size;
    return kept;
  }
}

interface Kept {
  readonly entries: readonly TaskEvent[];
  readonly size: number;
}
