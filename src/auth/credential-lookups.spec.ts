import { describe, expect, it } from '@jest/globals';
import { HubError } from '../common/hub-error.js';
import { CredentialLookups } from './credential-lookups.js';

describe('searches for unknown keys', () => {
  it('are few at once; those that wait are bounded, and come on in their order', async () => {
    const lookups = new CredentialLookups();
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const outcomes = Array.from({ length: 206 }, (_, i) =>
      lookups
        .find(`hash ${i}`, 0, () => {
          begun.push(i);
          return new Promise<{ key: number }>((resolve) => ends.push(() => resolve({ key: i })));
        })
        .catch((error: unknown) => (error as { reason: string }).reason),
    );
    expect(await Promise.all(outcomes.slice(204))).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(begun).toEqual([0, 1, 2, 3]);
    while (ends.length > 0) {
      ends.shift()!();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(begun).toEqual(Array.from({ length: 204 }, (_, i) => i));
    expect((await Promise.all(outcomes))[203]).toEqual({ key: 203 });
  });

  it('are not made again soon for a credential that was refused', async () => {
    const lookups = new CredentialLookups();
    let searches = 0;
    const find = (hash: string, now: number) =>
      lookups.find(hash, now, () => {
        searches += 1;
        return Promise.reject(new HubError('UNAUTHENTICATED', 'Not valid.'));
      });
    for (const now of [0, 5000, 9999]) await expect(find('a', now)).rejects.toThrow('Not valid.');
    expect(searches).toBe(1);
    await expect(find('b', 0)).rejects.toThrow('Not valid.');
    await expect(find('a', 10_000)).rejects.toThrow('Not valid.');
    expect(searches).toBe(3);
    // Nor for long when the clock was set back meanwhile.
    await expect(find('a', -60_000)).rejects.toThrow('Not valid.');
    expect(searches).toBe(4);
  });

  it('do not remember what was found before refusals were forgotten', async () => {
    const lookups = new CredentialLookups();
    let refuse!: () => void;
    const early = lookups.find('a', 0, () => {
      return new Promise((_, reject) => {
        refuse = () => reject(new HubError('UNAUTHENTICATED', 'Disabled.'));
      });
    });
    await new Promise((resolve) => setImmediate(resolve));
    lookups.forget();
    refuse();
    await expect(early).rejects.toThrow('Disabled.');
    expect(await lookups.find('a', 1, async () => ({ key: 1 }))).toEqual({ key: 1 });
  });

  it('go on after one that failed', async () => {
    const lookups = new CredentialLookups();
    for (let i = 0; i < 10; i += 1) {
      await expect(lookups.find('a', 0, () => Promise.reject(new Error('down')))).rejects.toThrow();
    }
    expect(await lookups.find('a', 0, async () => ({ key: 1 }))).toEqual({ key: 1 });
  });
});
