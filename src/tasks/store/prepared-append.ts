import type { AppliedLimit } from '../../limits/index.js';
import type { Tx, Work } from '../../database/sql.js';
import type { Delegation, EndCode, IdempotencyKey, TaskEvent, TaskRecord } from '../task.js';
import type { AfterCommit } from './append-participant.js';
import type { UsageChange } from './usage.js';

/**
 * Extra statements of another module that belong in a commit of a task, and what to do after it. A
 * HubError of theirs refuses the append with its reason.
 */
export type EnlistedWork = (tx: Tx, taskId: string) => Work<AfterCommit | void>;

/** A delegation that an append adds or changes, whole, as it is afterwards. */
export interface DelegationWrite {
  readonly delegation: Delegation;
  /** It does not exist yet. */
  readonly added: boolean;
  /** Its owner and lease are written too; otherwise they stay as claim and renew left them. */
  readonly lease: boolean;
  /** It changes something by which delegations are looked for ({@link isMoved}), so that their indexes are written. */
  readonly moved: boolean;
  /** It ends it. */
  readonly ended: boolean;
}

/** One append, already numbered and serialised. */
export interface PreparedAppend {
  readonly taskId: string;
  readonly enlisted: readonly EnlistedWork[];
  /** The keys of the requests it answers; `duplicate` when one of them is held already. */
  readonly keys: readonly IdempotencyKey[];
  /** Where it ends the task, keys that held until then; the cleanup finds the others. */
  readonly endedKeys: readonly string[];
  /** The version of the task it was decided on; 0 where it creates the task. The append raises it by one. */
  readonly expectedVersion: number;
  /** The task's columns after this append. */
  readonly record: TaskRecord;
  /** Of these, it changes none but `seq` and `updatedAt`: a chunk, say. */
  readonly onlyEvents: boolean;
  readonly events: readonly TaskEvent[];
  readonly delegations: readonly DelegationWrite[];
  /** The whole task as of the last event, when a checkpoint is due. */
  readonly checkpoint: Checkpoint | null;
  /** What it adds to the usage of the task's owner. */
  readonly usage: UsageChange;
  /** Where it ends the task, why that has not completed; null where it does not, and where that is not known. */
  readonly endCode: EndCode | null;
  /** Limits that must not be used up when it is committed, and what it takes of each. */
  readonly limits: readonly AppliedLimit[];
  /** Delegations that it leaves as they are, and whose owners look at the task after the commit. */
  readonly affected: readonly string[];
}

/** Whether an append is the first one of its task. */
export function createsTask({ expectedVersion }: PreparedAppend): boolean {
  return expectedVersion === 0;
}

/** A task so that it need not be rebuilt from the start of its log; both are 1.0 wire JSON. */
export interface Checkpoint {
  readonly task: string;
  /** The artifacts that do not count yet, as a list; null without any. */
  readonly held: string | null;
  /** Of one that is long: its texts in pieces, as those of a `TaskEvent`, and the values in them (`countValues`). */
  readonly written?: {
    readonly task: readonly string[];
    readonly held: readonly string[];
    readonly values: number;
  };
}

/** The claim an append is made for. */
export interface Fence {
  readonly delegationId: string;
  readonly epoch: number;
}

/**
 * How an append ended. `conflict`: another writer changed the task or claimed a delegation of it (or a new
 * task's id is taken); decide again on the new state. `duplicate`: the idempotency key belongs to
 * `taskId` already (`sameRequest` says whether for the same request). `poisoned`: the database
 * refuses this append itself; the cause is for the log, as it may show more than a client may see.
 */
export type AppendOutcome =
  | { readonly kind: 'committed' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'duplicate'; readonly taskId: string; readonly sameRequest: boolean }
  | { readonly kind: 'poisoned'; readonly cause: unknown };
