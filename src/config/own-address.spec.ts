import { describe, expect, it } from '@jest/globals';
import { configWith } from './load-config.js';
import { GrpcAddress } from './grpc-address.js';
import { isSameHost, OwnAddress } from './own-address.js';
import { PublicUrl } from './public-url.js';

function ownOf(publicUrl: string | null, host = '127.0.0.1'): OwnAddress {
  const config = configWith({ publicUrl, server: { host, port: 4000 }, grpc: { port: 4001 } });
  const grpc = new GrpcAddress(config);
  grpc.bound(4001);
  const address = { port: 4000 };
  const listening = { httpAdapter: { getHttpServer: () => ({ address: () => address }) } };
  const adapter = listening as ConstructorParameters<typeof PublicUrl>[1];
  return new OwnAddress(new PublicUrl(config, adapter), grpc);
}

describe('what is this hub itself', () => {
  it.each([
    'https://hub.example/a2a-hub',
    'https://hub.example/a2a-hub/',
    'https://HUB.example.:443/a2a-hub/x?y#z',
    'http://127.0.0.1:4000/',
    'http://localhost:4000/a2a',
    'http://[::1]:4000/',
    'http://0.0.0.0:4000',
    'http://127.9.9.9:4000/',
    'http://2130706433:4000/',
    'http://127.0.0.1:4001/',
    'https://localhost:4001/',
    'http://[::ffff:127.0.0.1]:4000/a2a',
    'http://[::ffff:7f00:1]:4001/',
    'http://[::127.0.0.1]:4000/',
  ])('%s is', (url) => {
    expect(ownOf('https://hub.example/a2a-hub').has(url)).toBe(true);
  });

  it.each([
    'https://hub.example/a2a-hub-other',
    'https://hub.example/',
    'https://hub.example:8443/a2a-hub',
    'https://other.example/a2a-hub',
    'http://127.0.0.1:4002/',
    'http://10.0.0.1:4000/',
    'nonsense',
  ])('%s is not', (url) => {
    expect(ownOf('https://hub.example/a2a-hub').has(url)).toBe(false);
  });

  it('includes every name of this machine when it listens on all of its addresses', () => {
    const own = ownOf('https://hub.example', '0.0.0.0');
    expect(own.has('http://localhost:4000/')).toBe(true);
    expect(own.has('https://hub.example/anything')).toBe(true);
  });

  it('includes every address of this machine when it listens on all of them, and only then', () => {
    const machine = ['10.1.2.3', 'fe80::1'];
    const is = (url: string, own: string): boolean =>
      isSameHost(new URL(url), new URL(own), machine);
    for (const own of ['http://0.0.0.0:4000', 'http://[::]:4000']) {
      expect(is('http://10.1.2.3:4000/x', own)).toBe(true);
      expect(is('http://[::ffff:10.1.2.3]:4000/x', own)).toBe(true);
      expect(is('http://[fe80::1]:4000/x', own)).toBe(true);
      expect(is('http://10.1.2.3:4001/x', own)).toBe(false);
      expect(is('http://10.1.2.4:4000/x', own)).toBe(false);
    }
    expect(is('http://10.1.2.3:4000/x', 'http://127.0.0.1:4000')).toBe(false);
  });
});
