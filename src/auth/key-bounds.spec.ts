import { describe, expect, it } from '@jest/globals';
import { KeyBounds } from './key-bounds.js';

const boundsOf = (allowedNetworks: string[], allowedOrigins: string[] = []): KeyBounds =>
  KeyBounds.of({ allowedNetworks, allowedOrigins })!;

describe('the bounds of a key', () => {
  it('are none without lists', () => {
    expect(KeyBounds.of({ allowedNetworks: [], allowedOrigins: [] })).toBeUndefined();
  });

  it('let calls in from the networks of the list alone', () => {
    const bounds = boundsOf(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '192.0.2.7']) {
      expect(bounds.fault(address, undefined)).toBeUndefined();
    }
    for (const address of ['11.1.2.3', '2001:db9::1', '192.0.2.8', 'nonsense', '', undefined]) {
      expect(bounds.fault(address, undefined)).toBe('foreign-network');
    }
  });

  it('let pages of the origins of the list in alone', () => {
    const bounds = boundsOf([], ['https://app.example.com']);
    expect(bounds.fault(undefined, 'https://app.example.com')).toBeUndefined();
    const others = ['https://app.example.com.evil', 'http://app.example.com', 'null', undefined];
    for (const origin of others) expect(bounds.fault('10.1.2.3', origin)).toBe('foreign-origin');
  });

  it('have to fit both', () => {
    const bounds = boundsOf(['10.0.0.0/8'], ['https://app.example.com']);
    expect(bounds.fault('10.0.0.1', 'https://app.example.com')).toBeUndefined();
    expect(bounds.fault('11.0.0.1', 'https://app.example.com')).toBe('foreign-network');
    expect(bounds.fault('10.0.0.1', undefined)).toBe('foreign-origin');
  });

  it.each([
    [{ allowedNetworks: ['10.0.0.0/33'] }, /allowedNetworks has .*"10.0.0.0\/33" is neither/],
    [{ allowedNetworks: ['example.com'] }, /is neither an address nor a CIDR block/],
    [{ allowedNetworks: ['0.0.0.0/0'] }, /is every address there is/],
    [{ allowedOrigins: ['https://app.example.com/'] }, /allowedOrigins has .* is no origin/],
    [{ allowedOrigins: ['app.example.com'] }, /is no origin/],
    [{ allowedOrigins: ['https://*.example.com'] }, /is no origin/],
    [{ allowedOrigins: ['*'] }, /is no origin/],
    [{ allowedOrigins: ['null'] }, /is no origin/],
  ])('cannot be %j', (lists, said) => {
    expect(() => KeyBounds.check(lists)).toThrow(said);
  });
});
