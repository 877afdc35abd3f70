import type { Tx, Work } from '../database/sql.js';
import type { AuditOutcome } from './audit-entry.js';
import type { Anchor } from './domain/anchor.js';
import type { AuditEvent, ChainPlace } from './domain/audit-event.js';

/** Which entries are meant; each member that is given must fit. */
export interface AuditFilter {
  /** Written at or after this time. */
  readonly from?: Date;
  /** Written before this time. */
  readonly to?: Date;
  readonly principal?: string;
  readonly organization?: string;
  readonly onBehalfOf?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly requestId?: string;
}

/** A place in the order of the lists: by time, then by id. */
export interface AuditCursor {
  readonly at: Date;
  readonly id: string;
}

/** What one bounded look at the entries has found. */
export interface AuditPiece {
  /** Those that fit. */
  readonly events: readonly AuditEvent[];
  /** Where the next look begins; null when there is nothing more. */
  readonly next: AuditCursor | null;
}

/** An entry that may have been tampered with: null when it cannot even be read. */
export interface ChainRow {
  readonly seq: number;
  readonly event: AuditEvent | null;
}

/** Reads the audit log; keeps its anchors; deletes what has been kept for its time. */
export abstract class AuditStore {
  /** Looks at `rows` entries at most, behind the cursor, in the order of time. */
  abstract look(
    filter: AuditFilter,
    order: 'newest' | 'oldest',
    rows: number,
    after: AuditCursor | null,
  ): Promise<AuditPiece>;

  /** The chain behind this one, in the order of their ids: of entries that there are. */
  abstract chainAfter(chain: string): Promise<string | undefined>;

  /** The last entry of a chain, and when it was written. */
  abstract endOf(chain: string): Promise<(ChainPlace & { readonly at: Date }) | undefined>;

  /** The entries of a chain behind a number, in order; at most `limit`. */
  abstract chainRows(chain: string, after: number, limit: number): Promise<readonly ChainRow[]>;

  /** The places of the entries of a chain behind a number, in order, with when each was written; at most `limit`. */
  abstract placesAfter(
    chain: string,
    after: number,
    limit: number,
  ): Promise<readonly (ChainPlace & { readonly at: Date })[]>;

  /** Deletes the first entries of a chain, up to this number; at most `limit`; how many. */
  abstract deleteUpTo(chain: string, seq: number, limit: number): Promise<number>;

  abstract lastAnchor(): Promise<Anchor | undefined>;

  /**
   * Adds an anchor. `taken`: another process was first with its number. `revoked`: `mayBeStored`, which is called in the
   * transaction, says no.
   */
  abstract addAnchor(
    anchor: Anchor,
    mayBeStored: (tx: Tx) => Work<boolean>,
  ): Promise<'added' | 'taken' | 'revoked'>;

  /** The anchors behind a number, in order; at most `limit`. */
  abstract anchorsAfter(number: number, limit: number): Promise<readonly Anchor[]>;

  /** What the anchors of this kind say of a chain behind a place of it, in order of the places; at most `limit`. */
  abstract anchorsOf(
    chain: string,
    kind: 'head' | 'cut',
    after: number,
    limit: number,
  ): Promise<readonly Anchor[]>;

  /** The anchor of this kind with the last place of a chain. */
  abstract lastAnchorOf(chain: string, kind: 'head' | 'cut' | 'floor'): Promise<Anchor | undefined>;

  /** The chain behind this one, in the order of their ids: of those that anchors speak of. */
  abstract anchoredChainAfter(chain: string): Promise<string | undefined>;

  /** Deletes the first anchors, up to this number; at most `limit`; how many. */
  abstract deleteAnchorsUpTo(number: number, limit: number): Promise<number>;
}
