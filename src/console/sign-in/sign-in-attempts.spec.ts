import { expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { keyNamed, testSecrets } from '../../common/fake-secrets.js';
import { SystemIdSource } from '../../common/ids.js';
import { SecretBox } from '../../common/secret-box.js';
import { SignInAttempts } from './sign-in-attempts.js';

const PLACE = { issuerId: 'company', returnTo: '/console/' };

function started(secrets = testSecrets()): { attempts: SignInAttempts; clock: SettableClock } {
  const clock = new SettableClock();
  return { clock, attempts: new SignInAttempts(secrets, clock, new SystemIdSource()) };
}

it('knows its own by state and cookie, once', () => {
  const { attempts } = started();
  const { attempt, cookie } = attempts.begin(PLACE);
  expect(new Set([attempt.state, attempt.nonce, attempt.verifier]).size).toBe(3);
  const taken = attempts.take(attempt.state, cookie);
  expect(taken).toEqual({ attempt, cookie: '' });
  expect(attempts.take(attempt.state, taken.cookie).attempt).toBeUndefined();
});

it('is nothing without its cookie, with another state, later, or at a hub with other keys', () => {
  const { attempts, clock } = started();
  const { attempt, cookie } = attempts.begin(PLACE);
  expect(attempts.take(attempt.state).attempt).toBeUndefined();
  expect(attempts.take(attempts.begin(PLACE).attempt.state, cookie).attempt).toBeUndefined();
  const other = started(new SecretBox([keyNamed('other')])).attempts;
  expect(other.take(attempt.state, cookie).attempt).toBeUndefined();
  clock.ms += 10 * 60_000;
  expect(attempts.take(attempt.state, cookie).attempt).toBeUndefined();
});

it('keeps those of several tabs, and no more than a browser can', () => {
  const { attempts } = started();
  const first = attempts.begin(PLACE);
  let { cookie } = first;
  const states = [first.attempt.state];
  for (let each = 0; each < 9; each++) {
    const next = attempts.begin({ ...PLACE, returnTo: `/console/${'a'.repeat(500)}` }, cookie);
    cookie = next.cookie;
    states.push(next.attempt.state);
    expect(cookie.length).toBeLessThan(3700);
  }
  const known = states.map((state) => attempts.take(state, cookie).attempt !== undefined);
  expect(known.lastIndexOf(false)).toBeLessThan(known.indexOf(true));
  expect(known.filter((is) => is).length).toBeGreaterThan(1);
});

it.each(['a', '!!!', 'v1:k:', 'plain:{"secret":"a"}', 'x'.repeat(100_000)])(
  'takes nothing of what others write: %.20s',
  (cookie) => {
    expect(started().attempts.take('state', cookie)).toEqual({ attempt: undefined, cookie: '' });
  },
);
