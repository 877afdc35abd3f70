import { describe, expect, it } from '@jest/globals';
import { isReferred, readReferred, referredIn } from './referred-secret.js';
import { readReference } from './secret-reference.js';

describe('a reference', () => {
  it.each([
    ['env:AGENT_TOKEN', 'env', 'AGENT_TOKEN', null],
    ['file:/run/secrets/token', 'file', '/run/secrets/token', null],
    ['file:/run/secrets/all.json#books.token', 'file', '/run/secrets/all.json', 'books.token'],
    ['file:/run/..data/a', 'file', '/run/..data/a', null],
    ['vault:agents/books#token', 'vault', 'agents/books', 'token'],
    ['aws:prod/books', 'aws', 'prod/books', null],
    [
      'aws:arn:aws:secretsmanager:eu-west-1:123456789012:secret:books-AbCdEf#key',
      'aws',
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:books-AbCdEf',
      'key',
    ],
  ])('is read: %s', (text, scheme, path, member) => {
    expect(readReference(text)).toEqual({ scheme, path, member, text });
  });

  it.each([
    5,
    null,
    '',
    'token',
    'https://vault.example/a#b',
    'env:',
    'env:A-B',
    'env:A#b',
    'file:relative',
    'file:/run/../etc/passwd',
    'file:/run/./a',
    'file:/run//a',
    'file:/run/',
    'file:/run/a\nb',
    'file:/run/a\0',
    'vault:agents/books',
    'vault:/agents#a',
    'vault:agents/#a',
    'vault:../sys/mounts#a',
    'vault:agents/../sys#a',
    'vault:agents/%2e%2e/sys#a',
    'vault:agents?version=1#a',
    'vault:a#b#c',
    'aws:a b',
    'aws:a#b c',
    `env:${'A'.repeat(2000)}`,
  ])('is refused: %j', (text) => {
    expect(readReference(text)).toMatch(/^must be /);
  });

  it('is stored with its prefix and who set it, and told from every value', () => {
    const written = { secretRef: 'env:A', prefix: 'Bearer ' };
    const stored = readReferred(written, { organization: 'acme' })!;
    expect(isReferred(stored)).toBe(true);
    expect(referredIn(stored)).toEqual({
      reference: 'env:A',
      prefix: 'Bearer ',
      grantee: { organization: 'acme' },
    });
    expect(isReferred('env:A')).toBe(false);
    expect(readReferred('env:A', 'hub')).toBeUndefined();
    expect(readReferred({ other: 1 }, 'hub')).toBeUndefined();
  });

  it.each([
    [{ secretRef: 5 }, /must be a reference/],
    [{ secretRef: 'env:A', prefix: 'a\nb' }, /prefix/],
    [{ secretRef: 'env:A', prefix: 'x'.repeat(101) }, /prefix/],
    [{ secretRef: 'env:A', prefix: 5 }, /prefix/],
    [{ secretRef: 'env:A', suffix: 'x' }, /has the member suffix/],
  ])('is refused as %j', (written, message) => {
    expect(() => readReferred(written, 'hub')).toThrow(message);
  });
});
