import { isUrl } from '../is-url.js';
import { isDenial } from './connect-error.js';
import { Egress, type EgressOptions, type EgressRequest, type EgressResponse } from './egress.js';

/** How long it is remembered that an origin is open by a list only. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** The answer of a receiver. */
export interface WebhookExchange {
  readonly answer: EgressResponse;
  /** Public https would not reach it: an operator's list opened it. */
  readonly isListed: boolean;
}

/** A request to a receiver that only a list opens went wrong; `cause` is what {@link Egress} threw. */
export class ListedReceiverError extends Error {
  override readonly name = 'ListedReceiverError';

  constructor(cause: unknown) {
    super('the receiver gave no answer', { cause });
  }
}

/** What webhooks may reach: `host` for those of every organization, `organization=host` for one's. */
export interface WebhookAllowList {
  readonly everybody: readonly string[];
  readonly organizations: ReadonlyMap<string, readonly string[]>;
}

/** Reads the entries of `push.allow`; the hosts themselves are not checked here. */
export function readWebhookAllow(entries: readonly string[]): WebhookAllowList {
  const everybody: string[] = [];
  const organizations = new Map<string, string[]>();
  for (const entry of entries) {
    // No host, address or network has this character; an organization may.
    const split = entry.lastIndexOf('=');
    const host = entry.slice(split + 1).trim();
    if (split < 0) everybody.push(host);
    else {
      const organization = entry.slice(0, split).trim();
      organizations.set(organization, [...(organizations.get(organization) ?? []), host]);
    }
  }
  return { everybody, organizations };
}

/**
 * The way to receivers of webhooks, which tenants name. It has nothing of what operators opened for agents:
 * what is reached besides public https is in a list of its own, part of it for single organizations. Each
 * list has connections of its own, so none that was opened under one is used under another.
 */
export class WebhookEgress {
  private readonly everybody: Egress | undefined;
  private readonly organizations: ReadonlyMap<string, Egress>;
  /** Until when (by the monotonic clock) an organization's origin counts as open by its list only. */
  private readonly listedUntil = new Map<string, number>();
  /** By URL. */
  private readonly origins = new Map<string, string>();

  constructor(
    /** Reaches what needs no list. */
    private readonly open: Egress,
    listed: {
      readonly everybody?: Egress | undefined;
      readonly organizations?: ReadonlyMap<string, Egress>;
    } = {},
  ) {
    this.everybody = listed.everybody;
    this.organizations = listed.organizations ?? new Map<string, Egress>();
  }

  /** Throws an Error that names the setting and its entry that is wrong. */
  static of(entries: readonly string[], options: Omit<EgressOptions, 'allow'>): WebhookEgress {
    const { everybody, organizations } = readWebhookAllow(entries);
    const egress = (allow: readonly string[]): Egress =>
      new Egress({ ...options, allow, openPorts: [], setting: 'push.allow' });
    if (organizations.has(''))
      throw new Error('push.allow: an entry names no organization before =');
    return new WebhookEgress(egress([]), {
      everybody: everybody.length === 0 ? undefined : egress(everybody),
      organizations: new Map(
        [...organizations].map(
          ([name, hosts]) => [name, egress([...everybody, ...hosts])] as const,
        ),
      ),
    });
  }

  /** {@link Egress.check} of an address that a webhook of the organization is to have. */
  check(organization: string, url: string): Promise<{ verified: boolean }> {
    return (this.listedFor(organization) ?? this.open).check(url);
  }

  /**
   * One request for a webhook of the organization. Rejects as {@link Egress.request} does and, when the
   * receiver is open by a list only, with {@link ListedReceiverError} for all but a refusal of the guard.
   */
  async request(
    organization: string,
    url: string,
    options: EgressRequest,
  ): Promise<WebhookExchange> {
    const listed = this.listedFor(organization);
    const key = `${organization} ${this.originOf(url)}`;
    if (listed === undefined || !this.isListed(key)) {
      try {
        return { answer: await this.open.request(url, options), isListed: false };
      } catch (error) {
        if (listed === undefined || !isDenial(error)) throw error;
      }
    }
    try {
      const answer = await listed.request(url, options);
      this.remember(key);
      return { answer, isListed: true };
    } catch (error) {
      throw isDenial(error) ? error : new ListedReceiverError(error);
    }
  }

  /** Cuts what is open and frees all connections. */
  async close(): Promise<void> {
    const everybody = this.everybody === undefined ? [] : [this.everybody];
    const all = [this.open, ...everybody, ...this.organizations.values()];
    await Promise.all(all.map((egress) => egress.close()));
  }

  private originOf(url: string): string {
    const known = this.origins.get(url);
    if (known !== undefined) return known;
    const origin = isUrl(url) ? new URL(url).origin : url;
    if (this.origins.size >= MAX_REMEMBERED) this.origins.clear();
    this.origins.set(url, origin);
    return origin;
  }

  private listedFor(organization: string): Egress | undefined {
    return this.organizations.get(organization) ?? this.everybody;
  }

  private isListed(key: string): boolean {
    const until = this.listedUntil.get(key);
    return until !== undefined && until > performance.now();
  }

  private remember(key: string): void {
    if (this.isListed(key)) return;
    if (this.listedUntil.size >= MAX_REMEMBERED) this.listedUntil.clear();
    this.listedUntil.set(key, performance.now() + REMEMBERED_MS);
  }
}
