import { longTurn } from '../../common/long-work.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import { isStoredInPieces } from './append-size.js';
import type { TaskWriter } from './task-writer.js';

/** Appends that take one turn of long work, or that are stored in pieces, under way at once: so many of each. */
const PLACES = 8;

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
 * small ones are committed; what is left is its commit, which is short. Those that take one turn do not wait for those
 * that are stored in pieces.
 */
export class LargeAppends {
  /** Writers whose last append was large: the next one is expected to be. */
  private readonly expected = new Set<TaskWriter>();
  /** Writers whose long decision waits to be serialised. */
  private unwritten: TaskWriter[] = [];
  /** Those that wait for their turn. */
  private waiting: Member[] = [];
  /** Those that wait to be stored in pieces. */
  private inPieces: Member[] = [];
  /** Those that only their commit is left of. */
  private ready: Member[] = [];
  private readonly short = new Places(
    () => this.waiting.length + this.expected.size,
    () => this.waiting.shift() ?? this.nextExpected(),
  );
  private readonly long = new Places(
    () => this.unwritten.length + this.inPieces.length,
    () => this.inPieces.shift() ?? this.nextWritten(),
  );

  constructor(private readonly steps: LargeAppendSteps) {}

  expect(writer: TaskWriter): void {
    this.expected.add(writer);
  }

  write(writer: TaskWriter): void {
    this.unwritten.push(writer);
  }

  add(member: Member): void {
    if (isStoredInPieces(member.append)) this.inPieces.push(member);
    else this.waiting.push(member);
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
    this.short.fill(
      // Only now it is known how large it is.
      async (member) =>
        isStoredInPieces(member.append) ? this.add(member) : this.stageOne(member),
      this.steps.staged,
    );
    this.long.fill((member) => this.stageOne(member), this.steps.staged);
  }

  private async stageOne(member: Member): Promise<void> {
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

/** Appends that are under way at once. */
class Places {
  private taken = 0;
  /** Of these, those whose turn has not come: only then it is known which append it is for. */
  private turnsAwaited = 0;

  /** How many wait for a place, and the first of them; null when that adds nothing now. */
  constructor(
    private readonly waiting: () => number,
    private readonly next: () => Member | null | Promise<Member | null>,
  ) {}

  /** Begins with those that wait, as many as there are places for; `ended` is called after each. */
  fill(work: (member: Member) => Promise<void>, ended: () => void): void {
    while (this.taken < PLACES && this.waiting() > this.turnsAwaited) {
      this.taken += 1;
      this.turnsAwaited += 1;
      void this.begin(work).then(() => {
        this.taken -= 1;
        ended();
      });
    }
  }

  /** The first one, once it is its turn. */
  private async begin(work: (member: Member) => Promise<void>): Promise<void> {
    await longTurn();
    this.turnsAwaited -= 1;
    const member = await this.next();
    if (member !== null) await work(member);
  }
}
