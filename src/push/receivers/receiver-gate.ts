import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { addressLiteral, DestinationList } from '../../common/egress/destination-list.js';
import { readAddress } from '../../common/egress/address-ranges.js';
import { destinationOf } from '../../common/egress/guard.js';
import { readWebhookAllow } from '../../common/egress/webhook-egress.js';
import { HubError } from '../../common/hub-error.js';
import { isAhead } from '../../common/is-ahead.js';
import { type AppConfig, Settings } from '../../config/index.js';
import { ReceiverChallenge } from './receiver-challenge.js';
import { type ReceiverLimits, ReceiverStore, type Sending, type Wait } from './receiver-store.js';

/** Verified receivers remembered. */
const MAX_REMEMBERED = 10_000;
/** That one has agreed is taken back with the data of its organization alone, which another process may have deleted. */
const REMEMBERED_MS = 60_000;
/** The least time between two challenges that people ask for. */
const ASK_PAUSE_MS = 10_000;
/** Receivers asked because of one principal in {@link ASK_WINDOW_MS}, and principals remembered for that. */
const MAX_ASKS = 20;
const ASK_WINDOW_MS = 10 * 60_000;
const MAX_ASKERS = 10_000;
const NEVER = new AbortController().signal;

/** Where something is to be sent, and for which principal. */
interface Target {
  readonly endpoint: string;
  readonly organization: string;
  readonly principalId: string;
  /** Who set it on a task of that principal, and whose limits then count; null when its owner did. */
  readonly setBy: string | null;
  readonly url: string;
}

/** Whether a receiver has agreed; `by` is null for one that has not agreed. */
export interface Verification {
  readonly by: 'challenge' | 'list' | null;
  readonly at: Date | null;
}

type GateSettings = Pick<AppConfig['push'], 'verification' | 'unverified' | 'trustedHosts'>;

/**
 * What is asked before something is sent to a receiver. One that has agreed (it answered the challenge, or
 * the operator lists its host) gets all there is; to others little is sent at a time, and the rest waits. A
 * receiver is challenged when something has to wait for it, so those that get little are never asked.
 */
@Injectable()
export class ReceiverGate {
  /** By endpoint: until when it need not be looked for again that the receiver has agreed, in monotonic time. */
  private readonly verified = new Map<string, number>();
  /** By endpoint: whether the operator lists its host. */
  private readonly trusted = new Map<string, boolean>();
  /** By principal: how many receivers were asked because of it in its window. */
  private readonly asks = new Map<string, { readonly count: number; readonly endsAt: number }>();
  private readonly everybody: DestinationList;
  private readonly organizations: ReadonlyMap<string, DestinationList>;

  private readonly limits: ReceiverLimits;
  private readonly unverifiedAtOnce: number;

  /** Throws an Error that names the entry of `push.trustedHosts` that is wrong. */
  constructor(
    private readonly store: ReceiverStore,
    @Inject(ReceiverChallenge) private readonly challenge: Pick<ReceiverChallenge, 'agrees'>,
    private readonly clock: Clock,
    @Settings('push') settings: GateSettings,
  ) {
    this.limits = limitsOf(settings);
    this.unverifiedAtOnce = settings.unverified.atOnce;
    const { everybody, organizations } = readWebhookAllow(settings.trustedHosts);
    const listOf = (hosts: readonly string[]): DestinationList =>
      new DestinationList('push.trustedHosts', hosts);
    this.everybody = listOf(everybody);
    this.organizations = new Map([...organizations].map(([name, hosts]) => [name, listOf(hosts)]));
  }

  /**
   * Why the webhook has to wait; asked before its body is made. Undefined: it may go on. `cut` ends a question that its
   * receiver has not answered, which counts as not put then.
   */
  async waitOf(target: Target, cut = NEVER): Promise<Wait | undefined> {
    if (this.isFree(target)) return undefined;
    if (await this.store.mayBeSent(sendingOf(target), this.limits, this.clock.now()))
      return undefined;
    return this.admit(target, 0, cut);
  }

  /** Counts a request of so many bytes, or says why it has to wait. `cut`: as of {@link waitOf}. */
  async admit(target: Target, bytes: number, cut = NEVER): Promise<Wait | undefined> {
    if (this.isFree(target)) return undefined;
    const sending = sendingOf(target);
    const mayAsk = this.asksOf(sending.principalId) < MAX_ASKS;
    const now = this.clock.now();
    const admission = await this.store.admit(sending, bytes, this.limits, now, mayAsk);
    if (admission === 'verified') this.remember(target.endpoint);
    else this.verified.delete(target.endpoint);
    if (admission === 'verified' || admission === 'admitted') return undefined;
    if (!admission.needsChallenge) return admission;
    this.noteAsk(sending.principalId);
    if (await this.ask(target, cut)) return undefined;
    if (cut.aborted) await this.store.takeBackChallenge(target.endpoint, now);
    return admission;
  }

  /**
   * Asks the receiver now whether it agrees. Throws HubError RATE_LIMITED when that was done a moment ago.
   */
  async verify(target: Omit<Target, 'principalId' | 'setBy'>): Promise<Verification> {
    if (this.isTrusted(target)) return { by: 'list', at: null };
    const now = this.clock.now();
    const at = await this.store.verifiedAt(target.endpoint);
    if (at !== null) return { by: 'challenge', at };
    if (!(await this.store.beginChallenge(target.endpoint, ASK_PAUSE_MS, now))) {
      throw new HubError('RATE_LIMITED', 'The receiver was asked a moment ago; wait ten seconds.', {
        metadata: { retryAfterSeconds: String(ASK_PAUSE_MS / 1000) },
        refusal: { limit: { kind: 'webhookVerifications' } },
      });
    }
    return (await this.ask(target, NEVER)) ? { by: 'challenge', at: now } : { by: null, at: null };
  }

  /** Whether the operator lists its host. The lists stay, so it is found out once for an endpoint. */
  isTrusted(target: Pick<Target, 'endpoint' | 'organization' | 'url'>): boolean {
    const known = this.trusted.get(target.endpoint);
    if (known !== undefined) return known;
    const isTrusted = this.isListed(target);
    if (this.trusted.size >= MAX_REMEMBERED) this.trusted.clear();
    this.trusted.set(target.endpoint, isTrusted);
    return isTrusted;
  }

  private isListed({ organization, url }: Pick<Target, 'organization' | 'url'>): boolean {
    const destination = destinationOf(new URL(url));
    const literal = addressLiteral(destination.hostname);
    const address = literal === undefined ? undefined : readAddress(literal);
    return [this.everybody, this.organizations.get(organization)].some(
      (list) =>
        list?.hasHost(destination) === true ||
        (address !== undefined && list?.hasAddress(address, destination.port) === true),
    );
  }

  /** Whether it is known to get all there is. */
  private isFree(target: Pick<Target, 'endpoint' | 'organization' | 'url'>): boolean {
    if (this.limits.mode === 'off') return true;
    const until = this.verified.get(target.endpoint);
    if (until !== undefined && this.clock.monotonicMs() < until) return true;
    return this.isTrusted(target);
  }

  /** Nothing is known any more of receivers of the organization: who has its name next is another one. */
  forget(organization: string): void {
    const before = `${organization} `;
    for (const endpoint of this.verified.keys()) {
      if (endpoint.startsWith(before)) this.verified.delete(endpoint);
    }
  }

  /** Of so many requests at once, how many it may get. */
  maxConcurrencyOf(
    target: Pick<Target, 'endpoint' | 'organization' | 'url'>,
    most: number,
  ): number {
    // Also while it is to be looked for again, which the next request does.
    const isFree = this.verified.has(target.endpoint) || this.isFree(target);
    return isFree ? most : Math.min(most, this.unverifiedAtOnce);
  }

  /** How many receivers were asked because of the principal: no one can have the hub send many of these requests. */
  private asksOf(principalId: string): number {
    const asks = this.asks.get(principalId);
    const now = this.clock.now().getTime();
    return asks !== undefined && isAhead(asks.endsAt, now, ASK_WINDOW_MS) ? asks.count : 0;
  }

  private noteAsk(principalId: string): void {
    const count = this.asksOf(principalId);
    const known = count > 0 ? this.asks.get(principalId) : undefined;
    const endsAt = known?.endsAt ?? this.clock.now().getTime() + ASK_WINDOW_MS;
    if (this.asks.size >= MAX_ASKERS) this.asks.clear();
    this.asks.set(principalId, { count: count + 1, endsAt });
  }

  private async ask(
    { organization, endpoint, url }: Omit<Target, 'principalId' | 'setBy'>,
    cut: AbortSignal,
  ): Promise<boolean> {
    if (!(await this.challenge.agrees(organization, url, cut))) return false;
    await this.store.verify(endpoint, this.clock.now());
    this.remember(endpoint);
    return true;
  }

  private remember(endpoint: string): void {
    if (this.verified.size >= MAX_REMEMBERED) this.verified.clear();
    this.verified.set(endpoint, this.clock.monotonicMs() + REMEMBERED_MS);
  }
}

/** What is declared in the configuration counts by its owner as well, which is another one in each organization. */
function sendingOf({ endpoint, principalId, setBy }: Target): Sending {
  return { endpoint, principalId: setBy ?? principalId };
}

/** The limits as the settings `push.verification` and `push.unverified.*` have them. */
function limitsOf({ verification, unverified }: GateSettings): ReceiverLimits {
  const { requestsPerMinute, bytesPerMinute, principal } = unverified;
  return {
    mode: verification,
    receiver: { requestsPerMinute, bytesPerMinute },
    principal,
    receiversPerPrincipal: principal.receivers,
  };
}
