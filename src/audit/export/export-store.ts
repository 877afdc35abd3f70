/** Entries of a chain that an export has not sent yet. */
export interface PendingChain {
  readonly chain: string;
  /** The last that is sent; 0 for none. */
  readonly sent: number;
  /** The first that is not, when it was written, and the last there is. */
  readonly first: number;
  readonly firstAt: Date;
  readonly last: number;
}

/** What became of an export so far. */
export interface ExportState {
  /** Entries that were acknowledged, since the export began. */
  readonly sent: number;
  /** Entries that the retention has deleted before they were. */
  readonly missed: number;
  /** Entries that the receiver has rejected for good, or refused again and again, and that it is not sent any more. */
  readonly setAside: number;
  /** The last of these: its chain, its number there and why. */
  readonly lastSetAside: string | null;
  /** Failed attempts since the last that was acknowledged. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  readonly lastSentAt: Date | null;
  readonly nextAttemptAt: Date | null;
}

/** Entries of a request that a receiver has taken otherwise, and that it must not be sent again. */
export interface NotTaken {
  readonly count: number;
  readonly why: string;
}

/** What became of the entries of one request. */
export interface ExportedEntries {
  readonly count: number;
  readonly setAside?: NotTaken | undefined;
}

/** A process that may send, until its time is over. */
export interface ExportLease {
  readonly owner: string;
  readonly until: Date;
}

/** How far each export of the audit log has come, and who sends for it. */
export abstract class ExportStore {
  /** Begins an export that there is not yet, behind these places; does nothing to one that there is. */
  abstract begin(
    exportId: string,
    sent: readonly { readonly chain: string; readonly seq: number }[],
  ): Promise<void>;

  /** Undefined: it has not begun. */
  abstract state(exportId: string): Promise<ExportState | undefined>;

  /** The chains that have more than was sent, the oldest first. */
  abstract pending(exportId: string): Promise<readonly PendingChain[]>;

  /** This chain, when it has more than was sent. */
  abstract pendingOf(exportId: string, chain: string): Promise<readonly PendingChain[]>;

  /** Takes the lease or prolongs it; false: another process has it. `isSole`: there can be no other process. */
  abstract claim(
    exportId: string,
    lease: ExportLease,
    now: Date,
    isSole: boolean,
  ): Promise<boolean>;

  /** Notes that entries up to this one are acknowledged, and prolongs the lease; false when that was lost. What is set aside is not `sent`. */
  abstract advance(
    exportId: string,
    lease: ExportLease,
    place: { readonly chain: string; readonly seq: number } & ExportedEntries,
    now: Date,
  ): Promise<boolean>;

  /** Goes on behind an entry that is not to be sent any more, and notes which; false when the lease was lost. */
  abstract setAside(
    exportId: string,
    owner: string,
    entry: { readonly chain: string; readonly seq: number; readonly why: string },
  ): Promise<boolean>;

  /** Notes a failed attempt of whoever has the lease. */
  abstract failed(
    exportId: string,
    owner: string,
    failure: Required<
      Pick<ExportState, 'failures' | 'lastError' | 'lastErrorAt' | 'nextAttemptAt'>
    >,
  ): Promise<void>;

  /** Gives the lease back. */
  abstract release(exportId: string, owner: string): Promise<void>;

  /** Up to which entry of a chain all of these exports have come. */
  abstract sentByAll(exportIds: readonly string[], chain: string): Promise<number>;

  /**
   * The entries of a chain up to this one are about to be deleted: an export that has not come so far goes on behind it, also
   * one that is not configured now. Resolves with how many entries each misses by that.
   */
  abstract passOver(
    chain: string,
    seq: number,
  ): Promise<readonly { readonly exportId: string; readonly count: number }[]>;

  /** Forgets the places in chains that have no entries any more. */
  abstract forgetEndedChains(): Promise<void>;
}
