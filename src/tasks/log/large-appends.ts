import { longTurn } from '../../common/long-work.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { TaskWriter } from './task-writer.js';

/** Large appends stored ahead at once. */
const MAX_STAGING = 8;

/** An append, and the writer that waits for its outcome. */
export interface Member {
  readonly writer: TaskWriter;
  readonly append: PreparedAppend;
}

export interface LargeAppendSteps {
  /** What the writer adds next; null when that is nothing yet. */
  readonly prepare: (writer: TaskWriter) => Member | null;
  /** See `TaskStore.stage`. */
  readonly stage: (append: PreparedAppend) => Promise<void>;
  readonly failed: (member: Member, error: unknown) => void;
  /** Called after each one that was stored ahead, or failed to be. */
  readonly staged: () => void;
}

/**
 * The large appends of the log. Each is decided on, serialised and stored ahead in turns of long work, while
 * small ones are committed; what is left is its commit, which is short.
 */
export class LargeAppends {
  /** Writers whose last append was large: the next one is expected to be. */
  private readonly expected = new Set<TaskWriter>();
  /** Writers whose long decision waits to be serialised. */
  private unwritten: TaskWriter[] = [];
  /** Those that wait to be stored ahead. */
  private waiting: Member[] = [];
  /** How many are being stored ahead, or wait for their turn to be. */
  private staging = 0;
  /** Of these, those whose turn has not come: only then it is known which append it is for. */
  private turnsAwaited = 0;
  /** Those that only their commit is left of. */
  private ready: Member[] = [];

  constructor(private readonly steps: LargeAppendSteps) {}

  expect(writer: TaskWriter): void {
    this.expected.add(writer);
  }

  write(writer: TaskWriter): void {
    this.unwritten.push(writer);
  }

  add(member: Member): void {
    this.waiting.push(member);
  }

  get hasStaged(): boolean {
    return this.ready.length > 0;
  }

  /** One that is to be committed, alone. */
  takeStaged(): Member | undefined {
    return this.ready.shift();
  }

  /** Begins with those that wait, as many as may be under way at once. */
  stage(): void {
    while (
      this.staging < MAX_STAGING &&
      this.unwritten.length + this.waiting.length + this.expected.size > this.turnsAwaited
    ) {
      this.staging += 1;
      this.turnsAwaited += 1;
      void this.stageNext().then(() => {
        this.staging -= 1;
        this.steps.staged();
      });
    }
  }

  /** The first one, once it is its turn. */
  private async stageNext(): Promise<void> {
    await longTurn();
    this.turnsAwaited -= 1;
    const member = this.waiting.shift() ?? (await this.nextWritten()) ?? this.nextExpected();
    if (member === null) return;
    try {
      await this.steps.stage(member.append);
      this.ready.push(member);
    } catch (error) {
      this.steps.failed(member, error);
    }
  }

  /** What the first of the writers adds whose long decision waits to be serialised. */
  private async nextWritten(): Promise<Member | null> {
    const writer = this.unwritten.shift();
    if (writer === undefined) return null;
    await writer.written();
    return this.steps.prepare(writer);
  }

  /** What the first of the writers adds that are expected to add something large. */
  private nextExpected(): Member | null {
    for (const writer of this.expected) {
      this.expected.delete(writer);
      return this.steps.prepare(writer);
    }
    return null;
  }
}
