import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { isRecord } from '../../common/is-record.js';
import { SecretBox } from '../../common/secret-box.js';

/** How long a person has at the provider. */
const ATTEMPT_MS = 10 * 60_000;
export const ATTEMPT_SECONDS = ATTEMPT_MS / 1000;
/** Attempts that one browser may have under way, in several tabs. */
const MOST = 4;
/** Browsers keep no larger cookies than 4096 bytes, with their name and rules. */
const MAX_COOKIE = 3600;
/** In no key's id, and in cookies. */
const BETWEEN = '!';

/** A sign-in that is under way. */
export interface Attempt {
  readonly issuerId: string;
  /** Where the browser goes after it. */
  readonly returnTo: string;
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636 §4.1. */
  readonly verifier: string;
}

interface Kept {
  readonly secret: string;
  readonly issuerId: string;
  readonly returnTo: string;
  readonly until: number;
}

/**
 * Sign-ins that are under way. They are kept by the browsers themselves, encrypted with the keys of the hub: whoever begins any
 * number of them costs the hub no memory and no row, each process can complete them, and they are nothing without the cookie.
 */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /** A new one, and the cookie that holds it beside the newest of those that a browser brings. */
  begin(
    { issuerId, returnTo }: Pick<Attempt, 'issuerId' | 'returnTo'>,
    cookie = '',
  ): { readonly attempt: Attempt; readonly cookie: string } {
    const until = this.clock.now().getTime() + ATTEMPT_MS;
    const kept: Kept = { secret: this.ids.secret(32), issuerId, returnTo, until };
    const others = this.underWay(cookie).map(({ sealed }) => sealed);
    const all = [this.secrets.seal(JSON.stringify(kept)), ...others].slice(0, MOST);
    return { attempt: attemptOf(kept), cookie: fitting(all) };
  }

  /** The one that an answer with this state belongs to, if it is of this browser; and the cookie without it. */
  take(
    state: string,
    cookie = '',
  ): { readonly attempt: Attempt | undefined; readonly cookie: string } {
    const all = this.underWay(cookie);
    const found = all.find(({ attempt }) => attempt.state === state);
    const others = all.filter((each) => each !== found).map(({ sealed }) => sealed);
    return { attempt: found?.attempt, cookie: fitting(others) };
  }

  private underWay(
    cookie: string,
  ): readonly { readonly attempt: Attempt; readonly sealed: string }[] {
    if (cookie.length > MAX_COOKIE) return [];
    const now = this.clock.now().getTime();
    return cookie
      .split(BETWEEN)
      .slice(0, MOST)
      .flatMap((sealed) => {
        const kept = this.opened(sealed);
        if (kept === undefined || kept.until <= now) return [];
        return [{ attempt: attemptOf(kept), sealed }];
      });
  }

  /** What anybody may have written; undefined for what the hub has not. */
  private opened(sealed: string): Kept | undefined {
    if (!sealed.startsWith('v1:')) return undefined;
    try {
      const kept: unknown = JSON.parse(this.secrets.open(sealed));
      return isRecord(kept) && typeof kept['secret'] === 'string'
        ? (kept as unknown as Kept)
        : undefined;
    } catch {
      return undefined;
    }
  }
}

/** All that is sent follows from one secret, in ways that say nothing of each other. */
function attemptOf({ secret, issuerId, returnTo }: Kept): Attempt {
  const derived = (what: string): string =>
    createHmac('sha256', secret).update(what).digest('base64url');
  return {
    ...{ issuerId, returnTo },
    state: derived('state'),
    nonce: derived('nonce'),
    verifier: derived('verifier'),
  };
}

function fitting(sealed: readonly string[]): string {
  let cookie = '';
  for (const each of sealed) {
    const longer = cookie === '' ? each : cookie + BETWEEN + each;
    if (longer.length > MAX_COOKIE) break;
    cookie = longer;
  }
  return cookie;
}
