import type { Delegation } from '../task.js';

/** Delegations of one task that were claimed in one commit. */
export interface ClaimedTask {
  readonly taskId: string;
  /** The task's version after the claim. */
  readonly version: number;
  readonly delegations: readonly Delegation[];
  /** The ids of those that were claimed before; the same set for all tasks of one commit. */
  readonly adopted: ReadonlySet<string>;
}

/** A delegation as its new owner got it. */
export type ClaimedDelegation = Delegation & {
  /**
   * False for one that was `queued` (its message has not been sent); true for one taken over from an
   * owner whose lease ran out: its message may be on its way, its agent may be working.
   */
  readonly adopted: boolean;
};

/** What the owner of a delegation reads once a second, in case a notification was lost. */
export interface OwnedDelegation {
  readonly id: string;
  readonly taskId: string;
  readonly state: Delegation['state'];
  readonly epoch: number;
  /** Its task's CancelTask intent is recorded. */
  readonly cancelRequested: boolean;
}

/** Which of a claimer's permits are in use, and how many each may hold. */
export interface ClaimQuota {
  /** How many of all permits are reserved for organizations that hold few; see `domain/fair-share.ts`. */
  readonly reserved: number;
  /** The most of one agent, at least 1. */
  maxOf(agentId: string): number;
  /** How many of an agent's are reserved. */
  reservedAt(agentId: string): number;
  /** How many of an agent's an organization holds. */
  heldAt(agentId: string, organization: string): number;
  /** When an organization last held one of an agent's, as a number that grows; 0 where it is not known. */
  lastHeldAt(agentId: string, organization: string): number;
  /** By agent. */
  readonly inUse: ReadonlyMap<string, number>;
  /** By organization. */
  readonly organizations: ReadonlyMap<string, number>;
  /** For delegations that have ended with a cancel pending, which need none of these permits. */
  readonly cancels: CancelQuota;
}

/** How many cancels are sent to agents at once. */
export interface CancelQuota {
  /** How many more in all. */
  readonly free: number;
  /** The most for one agent. */
  readonly maxPerAgent: number;
  /** By agent. */
  readonly inUse: ReadonlyMap<string, number>;
}
