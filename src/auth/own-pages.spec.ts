import { describe, expect, it } from '@jest/globals';
import { configWith } from '../config/index.js';
import { OwnPages } from './own-pages.js';

const fault = (
  host: string | undefined,
  headers: Record<string, string> = {},
  {
    method = 'POST',
    listen = '127.0.0.1',
    publicUrl = null as string | null,
    corsOrigins = [] as string[],
  } = {},
): string | undefined => {
  const config = configWith({
    server: { host: listen, corsOrigins },
    auth: { mode: 'none', allowOpen: true },
    publicUrl: publicUrl ?? (listen === '127.0.0.1' ? null : 'https://hub.example'),
  });
  return new OwnPages(config).fault({ method, headers: { host, ...headers } });
};

describe('a caller without a key', () => {
  it.each(['127.0.0.1:4000', 'localhost', 'LOCALHOST:81', '[::1]:4000', 'my.localhost:4000'])(
    'may call the hub as %s',
    (host) => {
      expect(fault(host)).toBeUndefined();
    },
  );

  it.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example.',
    '10.0.0.1',
    'localhost@evil.example',
    'localhost, evil.example',
    '',
    undefined,
  ])('may not call a hub on loopback as %s, by any method', (host) => {
    for (const method of ['POST', 'GET', 'HEAD']) {
      expect(fault(host, {}, { method })).toContain('Host must be an address of the hub');
    }
  });

  it('may use the host of publicUrl, and an address where the hub listens on more than loopback', () => {
    const publicUrl = 'https://hub.example/base';
    expect(fault('hub.example', {}, { publicUrl })).toBeUndefined();
    expect(fault('other.example', {}, { publicUrl })).toBeDefined();
    expect(fault('10.0.0.1:4000', {}, { listen: '0.0.0.0' })).toBeUndefined();
    expect(fault('evil.example:4000', {}, { listen: '0.0.0.0' })).toBeDefined();
  });

  const host = 'localhost:4000';
  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://localhost:4000.evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('changes nothing from a page of another origin: %j', (headers) => {
    for (const method of ['POST', 'DELETE', 'PATCH', 'PUT']) {
      expect(fault(host, headers, { method })).toContain('other origins');
    }
    expect(fault(host, headers, { method: 'GET' })).toBeUndefined();
  });

  it.each([['*'], ['https://app.example']])(
    'reads nothing from a page of another origin once %s may read answers',
    (allowed) => {
      const corsOrigins = [allowed];
      for (const method of ['GET', 'HEAD', 'POST']) {
        const options = { method, corsOrigins };
        expect(fault(host, { origin: 'https://app.example' }, options)).toContain('other origins');
        expect(fault(host, { origin: 'null' }, options)).toContain('other origins');
        expect(fault(host, { origin: `http://${host}` }, options)).toBeUndefined();
        expect(fault(host, {}, options)).toBeUndefined();
      }
      // A link to the hub: the page that has it reads nothing.
      const link = { 'sec-fetch-site': 'cross-site' };
      expect(fault(host, link, { method: 'GET', corsOrigins })).toBeUndefined();
    },
  );

  it('may be a page of the hub itself', () => {
    expect(fault(host, { origin: 'http://localhost:4000' })).toBeUndefined();
    expect(fault(host, { 'sec-fetch-site': 'same-origin' })).toBeUndefined();
    expect(fault(host, { 'sec-fetch-site': 'none' })).toBeUndefined();
    const publicUrl = 'https://hub.example';
    expect(fault(host, { origin: publicUrl }, { publicUrl })).toBeUndefined();
  });
});
