import { expect, it, jest } from '@jest/globals';
import { withNewestSecret } from './newest-secret.js';
import { TokenError } from './request-token.js';

const refusal = new TokenError('no token', 'invalid_client');
/** A server that takes one secret. */
const taking = (right: string) =>
  jest.fn((secret: string) =>
    secret === right ? Promise.resolve('yes') : Promise.reject(refusal),
  );
const newest = (): Promise<string> => Promise.resolve('new');

it('asks with the secret that is known, and with the newest when that is refused', async () => {
  expect(await withNewestSecret('old', newest, taking('old'))).toBe('yes');
  const ask = taking('new');
  expect(await withNewestSecret('old', newest, ask)).toBe('yes');
  expect(ask.mock.calls).toEqual([['old'], ['new']]);
});

it('asks no second time with the same, nor a third time', async () => {
  for (const known of ['new', 'old']) {
    const ask = taking('other');
    await expect(withNewestSecret(known, newest, ask)).rejects.toBe(refusal);
    expect(ask).toHaveBeenCalledTimes(known === 'new' ? 1 : 2);
  }
});

it('asks no second time after another failure', async () => {
  const failure = new TokenError('no token', 'invalid_grant');
  const ask = jest.fn(() => Promise.reject(failure));
  await expect(withNewestSecret('old', newest, ask)).rejects.toBe(failure);
  expect(ask).toHaveBeenCalledTimes(1);
});
