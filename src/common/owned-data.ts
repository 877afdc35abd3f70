/** Whose data is meant: all of an organization, or all of one principal. */
export type DataOwner = { readonly organization: string } | { readonly principal: string };

/** How data is deleted. */
export interface DataRemoval {
  readonly now: Date;
  /** Those who signed in may not do so again: a keyed digest of what their issuer calls them stays. */
  readonly blocks: boolean;
}

/** One record of an export. Secrets are in none. */
export type DataRecord = Readonly<Record<string, unknown>>;

/**
 * One kind of what organizations and principals own. Each feature has those of its own tables. All is read and deleted
 * in pieces, each so short that it delays nothing else.
 */
export abstract class OwnedData {
  /** Its name in the progress of a job, in receipts and in the lines of an export. */
  abstract readonly kind: string;
  /** The tables whose rows it exports, or deletes with others. */
  abstract readonly tables: readonly string[];
  /** Its rows name a principal and no organization: it is asked for each principal of one. */
  readonly isOfPrincipals: boolean = false;

  /** It goes as soon as its owner is disabled, whoever ends it: it is counted before that. */
  readonly endsWithOwner: boolean = false;

  abstract count(owner: DataOwner): Promise<number>;

  /** The records, in pieces. What changes meanwhile may be in them as it was before or as it is after. */
  abstract records(owner: DataOwner): AsyncGenerator<readonly DataRecord[]>;

  /**
   * Ends what is under way and could make more of it. Safe to repeat; `signal` ends it early.
   */
  end?(owner: DataOwner, removal: DataRemoval, signal: AbortSignal): Promise<void>;

  /** Deletes a piece; how many that were. 0: nothing is left that could be deleted now. */
  abstract delete(owner: DataOwner, removal: DataRemoval): Promise<number>;
}

/** The kinds of one feature, in the order in which they are deleted. */
export abstract class OwnedDataSet {
  abstract readonly kinds: readonly OwnedData[];
}

/** One text for each owner. */
export function ownerKey(owner: DataOwner): string {
  return 'organization' in owner
    ? `organization ${owner.organization}`
    : `principal ${owner.principal}`;
}

/** The owner, in a sentence. */
export function ownerText(owner: DataOwner): string {
  return 'organization' in owner
    ? `the organization ${owner.organization}`
    : `the principal ${owner.principal}`;
}
