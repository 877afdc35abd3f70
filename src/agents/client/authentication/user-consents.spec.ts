import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../../common/fake-settable-clock.js';
import { TokenError } from '../../../common/oauth/request-token.js';
import type { AgentAuthentication } from '../../agent-authentication.js';
import type { Agent } from '../../agent.js';
import type { Consent } from '../../consents/consent.js';
import { clientOf } from './consent-providers.js';
import { UserConsents } from './user-consents.js';

const AGENT = { id: 'z', credentialOrigins: ['https://agent.example'] } as unknown as Agent;
const BY: AgentAuthentication = {
  type: 'oauth2-authorization-code',
  issuer: 'https://login.example',
};
const HOUR_MS = 60 * 60_000;

/** Waiting moves it on. */
class WaitedClock extends SettableClock {
  override sleep(ms = 0): Promise<void> {
    this.ms += ms;
    return Promise.resolve();
  }
}

let clock: WaitedClock;
let kept: Consent;
let consents: UserConsents;

beforeEach(() => {
  clock = new WaitedClock(10 * HOUR_MS);
  kept = {
    ...{ id: 'one', principalId: 'alice', organization: 'acme', agentId: 'z', scope: null },
    ...{ client: clientOf(AGENT, BY), server: 'https://login.example', createdAt: clock.now() },
    ...{ accessToken: 'access', refreshToken: 'refresh', tokenAt: clock.now() },
    usableUntil: new Date(20 * HOUR_MS),
  };
  const store = {
    of: () => Promise.resolve(kept),
    reserve: () => Promise.resolve(false),
  };
  const none = {} as never;
  const ids = { next: () => 'id' } as never;
  consents = new UserConsents(store as never, none, none, none, clock, ids, none);
});

const lend = () => consents.lend(AGENT, BY, kept);

describe('UserConsents', () => {
  it('wait a minute for a renewal by another process, and say so', async () => {
    kept = { ...kept, usableUntil: clock.now() };
    const began = clock.ms;
    await expect(lend()).rejects.toThrow(TokenError);
    expect(clock.ms - began).toBe(60_000);
    await expect(lend()).rejects.toThrow('another process');
  });

  it.each(['refresh', null])(
    'keep a token that is refused once after the clock was set back (refresh token: %s)',
    async (refreshToken) => {
      kept = { ...kept, refreshToken };
      const { refused } = await lend();
      if (refreshToken === null) expect(refused()).toBe(false);
      clock.ms -= HOUR_MS;
      expect(refused()).toBe(false);
      clock.ms += 60_000;
      expect(refused()).toBe(true);
    },
  );
});
