import type { Authority } from './authority.js';
import type { Page } from '../common/page.js';
import type { Tx, Work } from '../database/sql.js';

/** What principals belong to. Its id is the name by which keys, tokens, agents and policies speak of it. */
export interface Organization {
  readonly id: string;
  /** What people call it; null where nobody has said. */
  readonly displayName: string | null;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** Null while it is enabled. */
  readonly disabledAt: Date | null;
}

/** An organization as operators see it. */
export interface OrganizationRecord extends Organization {
  /** How many principals it has. */
  readonly principals: number;
}

export const ORGANIZATION_STATES = ['enabled', 'disabled'] as const;
export type OrganizationState = (typeof ORGANIZATION_STATES)[number];

export interface OrganizationFilter {
  /** This one alone. */
  readonly id?: string | undefined;
  readonly state?: OrganizationState | undefined;
}

/** What of an organization can be changed; what is absent stays. */
export type OrganizationEdits = Partial<
  Pick<Organization, 'displayName' | 'description' | 'labels'>
>;

/** Organizations. One comes into being with its first principal, or is created. */
export abstract class OrganizationStore {
  /** False when there is one of its id. Throws HubError CONFLICT while the data of one of its id is being deleted. */
  abstract create(organization: Organization): Promise<boolean>;

  abstract get(id: string): Promise<OrganizationRecord | undefined>;

  /** By id; `cursor` is the `nextCursor` of the page before. */
  abstract list(
    filter: OrganizationFilter,
    limit: number,
    cursor?: string,
  ): Promise<Page<OrganizationRecord>>;

  /** False when there is none. */
  abstract change(id: string, edits: OrganizationEdits): Promise<boolean>;

  /**
   * From the commit on no credential of its principals is valid, and it gets no principal. The time of the first call
   * stays. Its principals; undefined when there is no such organization. Throws what `by` refuses of any of them.
   */
  abstract disable(id: string, at: Date, by: Authority): Promise<readonly string[] | undefined>;

  /** Credentials count again, but those of principals that are disabled themselves. As {@link disable}. */
  abstract enable(id: string, by: Authority): Promise<readonly string[] | undefined>;

  /**
   * Deletes an organization, unless `left` finds what it still has, in the same transaction. False when there is none;
   * CONFLICT while it has principals.
   */
  abstract delete(id: string, left: (tx: Tx, id: string) => Work<void>): Promise<boolean>;
}
