import { describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { configWith } from '../config/index.js';
import { ClientAddress } from './client-address.js';

const addresses = new ClientAddress(
  configWith({ server: { trustedProxies: ['10.0.0.0/8', '::1'] } }),
);
const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
  addresses.of(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, {
    remoteAddress,
  } as Socket);

describe('the address of a client', () => {
  it('is that of its connection, whatever a caller that is no listed proxy says', () => {
    expect(from('192.0.2.1')).toBe('192.0.2.1');
    expect(from('192.0.2.1', '198.51.100.1')).toBe('192.0.2.1');
    expect(from(undefined, '198.51.100.1')).toBeUndefined();
    expect(addresses.of({}, undefined)).toBeUndefined();
  });

  it('is what the nearest listed proxy says, not what the client has written before', () => {
    expect(from('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
    expect(from('::ffff:10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
    expect(from('10.0.0.1', '192.168.0.1, 198.51.100.1')).toBe('198.51.100.1');
    expect(from('10.0.0.1', '192.168.0.1, 198.51.100.1, 10.0.0.9')).toBe('198.51.100.1');
    expect(from('::1', ['192.168.0.1', '198.51.100.1'])).toBe('198.51.100.1');
  });

  it('is that which nginx has added ($proxy_add_x_forwarded_for), whatever the client wrote', () => {
    // What the client wrote names a listed proxy, or is none.
    for (const written of ['10.0.0.2', '192.0.2.7, 10.0.0.2', 'unknown', '']) {
      expect(from('10.0.0.1', `${written}, 198.51.100.1`)).toBe('198.51.100.1');
    }
  });

  it('may have a port', () => {
    expect(from('10.0.0.1', '198.51.100.1:4711')).toBe('198.51.100.1');
    expect(from('10.0.0.1', '[2001:db8::1]:4711')).toBe('2001:db8::1');
    expect(from('10.0.0.1', '2001:db8::1')).toBe('2001:db8::1');
  });

  it('is not known when a listed proxy does not say it', () => {
    for (const said of [undefined, '', 'unknown', '_hidden', '10.0.0.2', '1.2.3', 'fe80::1%eth0']) {
      expect(from('10.0.0.1', said)).toBeUndefined();
    }
  });
});
