import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { invalidField } from '../../common/hub-error.js';
import { RevisionedCache } from '../../common/revisioned-cache.js';
import { Log } from '../../common/logger.js';
import {
  type UrlPattern,
  bySpecificity,
  matchesUrl,
  parseUrlPattern,
} from './domain/url-pattern.js';
import { AuthProfileStore } from './auth-profile-store.js';
import type { AuthProfile } from './auth-profile.js';

interface Known {
  readonly profile: AuthProfile;
  readonly patterns: readonly UrlPattern[];
}

interface AutomaticRule {
  readonly profile: AuthProfile;
  readonly pattern: UrlPattern;
}

/**
 * All auth profiles in memory, for the path of every attempt. They are renewed with each change made in
 * this process before that change is answered, and at most a second after one made in another; a name
 * that is not known is looked up before it is said not to exist.
 */
@Injectable()
export class KnownProfiles extends RevisionedCache<AuthProfile> {
  private named = new Map<string, Known>();
  private automatic: readonly AutomaticRule[] = [];

  constructor(store: AuthProfileStore, clock: Clock, log: Log) {
    super(store, 'auth profiles', clock, log);
  }

  /**
   * The organization's profile of this name, else the one for every organization, when it may be used
   * for the address; undefined otherwise.
   */
  async usable(organization: string, name: string, url: string): Promise<AuthProfile | undefined> {
    const found = this.find(organization, name, url);
    if (found !== undefined) return found;
    await this.renew();
    return this.find(organization, name, url);
  }

  /** Throws HubError INVALID_PARAMS for the field unless the named profile may be used for the address. */
  async require(
    organization: string,
    name: string | null,
    url: string,
    field: string,
  ): Promise<void> {
    if (name === null || (await this.usable(organization, name, url))) return;
    throw invalidField(field, `names an auth profile that is not there for this address: ${name}`);
  }

  /**
   * The automatic profile for an address: of the most specific pattern; between equals the
   * organization's own before one for every organization, then by name.
   */
  automaticFor(organization: string, url: string): AuthProfile | undefined {
    return this.automatic.find(
      ({ profile, pattern }) =>
        (profile.organization === null || profile.organization === organization) &&
        matchesUrl(pattern, url),
    )?.profile;
  }

  private find(organization: string, name: string, url: string): AuthProfile | undefined {
    const known = this.named.get(keyOf(organization, name)) ?? this.named.get(keyOf(null, name));
    return known?.patterns.some((pattern) => matchesUrl(pattern, url)) ? known.profile : undefined;
  }

  protected override onReload(profiles: readonly AuthProfile[]): void {
    const all = profiles.map((profile) => ({ profile, patterns: patternsOf(profile) }));
    this.named = new Map(
      all.map((known) => [keyOf(known.profile.organization, known.profile.name), known]),
    );
    this.automatic = all
      .filter(({ profile }) => profile.automatic)
      .flatMap(({ profile, patterns }) => patterns.map((pattern) => ({ profile, pattern })))
      .sort(byPrecedence);
  }
}

function byPrecedence(a: AutomaticRule, b: AutomaticRule): number {
  const own = (rule: AutomaticRule): number => (rule.profile.organization === null ? 1 : 0);
  return (
    bySpecificity(a.pattern, b.pattern) ||
    own(a) - own(b) ||
    (a.profile.name < b.profile.name ? -1 : 1)
  );
}

function patternsOf(profile: AuthProfile): UrlPattern[] {
  return profile.urls.flatMap((written) => parseUrlPattern(written) ?? []);
}

function keyOf(organization: string | null, name: string): string {
  return JSON.stringify([organization, name]);
}
