import type { Clock } from '../clock.js';
import { evictOldest } from '../evict-oldest.js';
import { isAhead } from '../is-ahead.js';

/** How long before its end a token is no longer used; a short-lived one for a tenth of its life. */
const MARGIN_MS = 30_000;
/** The share of its life after which another one is asked for, beside those who use it meanwhile. */
const FRESH_SHARE = 0.8;
/** Who refuses every token causes one new token in this time. */
const RENEW_PAUSE_MS = 60_000;
/** How long a failure is answered from memory, so that many calls ask a server that is down once. */
const FAILURE_MS = 500;

/** An access token as its server gave it. */
export interface GrantedToken {
  readonly value: string;
  readonly lifeMs: number;
}

interface Token {
  readonly value: string;
  readonly freshUntil: number;
  readonly usableUntil: number;
  /** How long that was when it came; further ahead lies only what a clock set back has left there. */
  readonly usableMs: number;
  /** When it was asked for because the one before had been refused; 0 for no such reason. */
  readonly renewedAt: number;
}

interface Entry {
  token?: Token;
  asking?: Promise<Token>;
  failure?: { readonly error: unknown; readonly until: number };
  /** When the last token was refused. */
  renewedAt: number;
}

/**
 * Access tokens by what they were asked for, kept until shortly before they end. However many calls need one, its
 * server is asked by one request at a time.
 */
export class TokenCache {
  private readonly entries = new Map<string, Entry>();

  /** Beyond `most` entries the oldest is forgotten: its token is asked for again. */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly most: number,
  ) {}

  /**
   * The token of this key, or the one that `ask` gives. Rejects with what `ask` rejects with, and without asking
   * while that is half a second ago at most.
   */
  async get(key: string, ask: () => Promise<GrantedToken>): Promise<string> {
    const entry = this.entryOf(key);
    const now = this.clock.now().getTime();
    const { token, failure } = entry;
    const isFailing = failure !== undefined && isAhead(failure.until, now, FAILURE_MS);
    if (token && isAhead(token.usableUntil, now, token.usableMs)) {
      if (now >= token.freshUntil && !isFailing) this.asking(entry, ask).catch(() => undefined);
      return token.value;
    }
    if (isFailing) throw failure.error;
    return (await this.asking(entry, ask)).value;
  }

  /**
   * This token was refused. True when another may fare better: it was the one in use, and the last such renewal
   * is a while ago, or another one is in use already.
   */
  refused(key: string, value: string): boolean {
    const entry = this.entryOf(key);
    if (entry.token?.value !== value) return true;
    const now = this.clock.now().getTime();
    const { renewedAt } = entry.token;
    if (renewedAt > 0 && Math.abs(now - renewedAt) < RENEW_PAUSE_MS) return false;
    delete entry.token;
    entry.renewedAt = now;
    return true;
  }

  private entryOf(key: string): Entry {
    const known = this.entries.get(key);
    if (known) return known;
    evictOldest(this.entries, this.most);
    const entry: Entry = { renewedAt: 0 };
    this.entries.set(key, entry);
    return entry;
  }

  private asking(entry: Entry, ask: () => Promise<GrantedToken>): Promise<Token> {
    entry.asking ??= this.ask(entry, ask).finally(() => delete entry.asking);
    return entry.asking;
  }

  private async ask(entry: Entry, ask: () => Promise<GrantedToken>): Promise<Token> {
    const { renewedAt } = entry;
    entry.renewedAt = 0;
    try {
      const { value, lifeMs } = await ask();
      const usableMs = usableMsOf(lifeMs);
      const now = this.clock.now().getTime();
      const [freshUntil, usableUntil] = [now + lifeMs * FRESH_SHARE, now + usableMs];
      entry.token = { value, freshUntil, usableUntil, usableMs, renewedAt };
      delete entry.failure;
      return entry.token;
    } catch (error) {
      entry.failure = { error, until: this.clock.now().getTime() + FAILURE_MS };
      throw error;
    }
  }
}

/** How long a token of this life is used. */
export function usableMsOf(lifeMs: number): number {
  return lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
}
