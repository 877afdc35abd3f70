import type { Page } from '../../common/page.js';
import type { AuthProfile } from './auth-profile.js';

/** How many profiles there may be in all: every process keeps them in memory. */
export const MAX_PROFILES = 1000;

/** Whose profiles are meant: one organization's with those for every one, or all there are. */
export type ProfileAudience = { readonly organization: string } | 'everybody';

/** The auth profiles, shared by all processes of one database. */
export abstract class AuthProfileStore {
  /** A number that every change raises. */
  abstract revision(): Promise<number>;

  abstract all(): Promise<readonly AuthProfile[]>;

  /** By age, newest first; `cursor` is the `nextCursor` of the page before. */
  abstract list(
    audience: ProfileAudience,
    limit: number,
    cursor?: string,
  ): Promise<Page<AuthProfile>>;

  abstract get(id: string, audience: ProfileAudience): Promise<AuthProfile | undefined>;

  /** Throws HubError CONFLICT when its organization has one of that name, or there are too many. */
  abstract add(profile: AuthProfile): Promise<void>;

  /**
   * Changes a profile; two changes of one profile never mix. `change` gets it as it is. Undefined when
   * there is none. Its `version` is raised here.
   */
  abstract update(
    id: string,
    change: (present: AuthProfile) => AuthProfile,
  ): Promise<AuthProfile | undefined>;

  /**
   * Deletes a profile. How many webhooks (those of tasks and subscriptions) name it: unless `force`, one that
   * is named stays. Undefined when there is none.
   */
  abstract remove(
    id: string,
    force: boolean,
  ): Promise<{ readonly removed: boolean; readonly uses: number } | undefined>;
}
