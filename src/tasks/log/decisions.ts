import type { Message } from '../../protocol/a2a.js';
import { hashInTurns } from '../domain/status-key.js';
import type { TaskAggregate } from '../task.js';
import type { Decision } from './task-log.js';
import type { Checkpoint, Fence, PreparedAppend } from '../store/prepared-append.js';
import { type Bodies, bodiesInTurns } from './event-body.js';
import type { LiveTask } from './live-task.js';

/** One caller that waits for its decision to be durable. */
export interface Waiting {
  /** What it is for: to create the task, to change it, or to end it because a change cannot be stored. */
  readonly purpose: 'creation' | 'update' | 'ending';
  readonly decide: (task: TaskAggregate) => Decision<unknown>;
  readonly fence: Fence | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A decision that has been made and waits until the state it was made on is known to hold. */
export interface Decided {
  readonly waiting: Waiting;
  readonly answer: () => void;
}

/** A decision that has been made and is not applied yet. */
export interface Made {
  readonly waiting: Waiting;
  readonly decision: Decision<unknown>;
}

/** The decisions change nothing; they hold if the database has nothing newer. */
export const VERIFY = 'verify';
/** What was decided is long, or what it takes is: prepare again when {@link TaskWriter.written} has resolved. */
export const LONG_DECISION = 'long-decision';

/** What a writer has to add; null: nothing, or the state must be loaded first. */
export type Prepared = PreparedAppend | typeof VERIFY | typeof LONG_DECISION | null;

/** One whose events are long: what they are logged as is written in turns of long work before it is applied. */
export class LongDecision {
  /** Undefined when they cannot be: applying the decision then gives the reason. */
  bodies: Bodies | undefined;
  isWritten = false;

  constructor(readonly made: Made) {}

  async write(): Promise<void> {
    this.bodies = await bodiesInTurns(this.made.decision.change.events).catch(() => undefined);
    this.isWritten = true;
  }
}

/** One that cannot be made before a long message is hashed, in turns of long work. */
export class LongHash {
  isWritten = false;
  /** Why it cannot be hashed. */
  error: unknown;

  constructor(
    readonly waiting: Waiting,
    private readonly message: Message,
  ) {}

  async write(): Promise<void> {
    await hashInTurns(this.message).catch((error: unknown) => (this.error = error));
    this.isWritten = true;
  }
}

/** The checkpoint of all that has been decided, where that is long: it is written in turns of long work before it is taken. */
export class LongCheckpoint {
  /** Undefined when it cannot be: taking it then gives the reason. */
  checkpoint: Checkpoint | undefined;
  isWritten = false;

  constructor(private readonly live: Pick<LiveTask, 'writeCheckpoint'>) {}

  async write(): Promise<void> {
    this.checkpoint = await this.live.writeCheckpoint().catch(() => undefined);
    this.isWritten = true;
  }
}

/**
 * Of those that wait, those that fall with decisions that are lost, and the rest: the same claim must not go on
 * without what came before.
 */
export function lostWith(
  lost: readonly Waiting[],
  waiting: readonly Waiting[],
): { lost: Waiting[]; rest: Waiting[] } {
  const claims = new Set(lost.map(claimOf));
  claims.delete(undefined);
  const falls = (each: Waiting): boolean => claims.has(claimOf(each));
  return {
    lost: [...lost, ...waiting.filter(falls)],
    rest: waiting.filter((each) => !falls(each)),
  };
}

/** The claim that a decision is made under; undefined without one. */
function claimOf({ fence }: Waiting): string | undefined {
  return fence && `${fence.epoch} ${fence.delegationId}`;
}
