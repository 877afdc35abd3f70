import { describe, expect, it } from '@jest/globals';
import { keyNamed } from './fake-secrets.js';
import { SecretBox, SecretLockedError, isSealed, sealedBy } from './secret-box.js';

const [K1, K2] = [keyNamed('k1'), keyNamed('k2')];
const box = new SecretBox([K1]);

describe('a secret box', () => {
  it('opens what it sealed, whatever characters are in it', () => {
    for (const secret of ['', 'hunter2', 'ü 🔑 \n\u0000', 'x'.repeat(16_384)]) {
      expect(box.open(box.seal(secret))).toBe(secret);
    }
  });

  it('names the form and the key, and shows nothing of the secret', () => {
    const sealed = box.seal('hunter2');
    expect(sealed).toMatch(/^v1:k1:[A-Za-z0-9_-]+$/);
    expect(sealedBy(sealed)).toBe('k1');
    const bytes = Buffer.from(sealed.split(':')[2]!, 'base64url');
    expect(bytes.includes('hunter2')).toBe(false);
    expect(bytes).toHaveLength(12 + 'hunter2'.length + 16);
  });

  it('never seals to the same twice', () => {
    const sealed = Array.from({ length: 50 }, () => box.seal('hunter2'));
    expect(new Set(sealed).size).toBe(50);
  });

  it('seals with the first key and opens with all', () => {
    const both = new SecretBox([K2, K1]);
    expect(both.open(box.seal('old'))).toBe('old');
    expect(sealedBy(both.seal('new'))).toBe('k2');
    expect([both.sealingKey, both.keyIds]).toEqual(['k2', ['k2', 'k1']]);
  });

  it('reads what was stored before there were keys', () => {
    expect(box.open('plain:hunter2')).toBe('hunter2');
    expect([sealedBy('plain:hunter2'), isSealed('plain:hunter2')]).toEqual([null, true]);
  });

  it('is made of 32 bytes and of at least one key', () => {
    expect(() => new SecretBox([])).toThrow('no key');
    const short = { id: 'short', key: Buffer.alloc(16, 7).toString('base64') };
    expect(() => new SecretBox([short])).toThrow('The key short for secrets is not 32 bytes.');
  });
});

describe('a value that cannot be opened', () => {
  /** What opening throws: a passing trouble that says nothing of the value. */
  function locked(opener: SecretBox, sealed: string): SecretLockedError {
    try {
      opener.open(sealed);
    } catch (error) {
      expect(error).toBeInstanceOf(SecretLockedError);
      expect(String(error)).not.toContain(sealed);
      return error as SecretLockedError;
    }
    throw new Error('it was opened');
  }

  it('names the key that is missing', () => {
    const { message, keyId, reason } = locked(new SecretBox([K2]), box.seal('x'));
    expect(message).toContain('the key k1, which secrets.keys does not have');
    expect([keyId, reason]).toEqual(['k1', 'UNAVAILABLE']);
  });

  it('is distinguished from one whose key is another of the same id', () => {
    const { message } = locked(new SecretBox([{ ...K2, id: 'k1' }]), box.seal('x'));
    expect(message).toContain('another key of that id, or changed');
  });

  it('is refused when any of its bytes was changed, or cut off', () => {
    const [, , text] = box.seal('hunter2').split(':');
    const bytes = Buffer.from(text!, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      locked(box, `v1:k1:${changed.toString('base64url')}`);
      locked(box, `v1:k1:${bytes.subarray(0, i).toString('base64url')}`);
    }
  });

  it('is refused under the name of another key, even with the same bytes', () => {
    const twin = new SecretBox([K1, { ...K1, id: 'twin' }]);
    expect(twin.open(box.seal('x'))).toBe('x');
    locked(twin, box.seal('x').replace(':k1:', ':twin:'));
  });

  it.each(['', 'hunter2', 'v2:k1:AAAA', 'v1:k1', 'v1:k 1:AAAA', 'v1:k1:A+A='])(
    'has to have a known form, which %j has not',
    (stored) => {
      expect(() => box.open(stored)).toThrow('a form this hub does not know');
    },
  );
});
