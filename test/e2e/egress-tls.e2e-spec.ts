import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectError, Egress, type EgressRequest } from '../../src/common/egress/egress.js';
import { GuardedConnector } from '../../src/common/egress/guarded-connector.js';
import { EgressPolicy } from '../../src/common/egress/guard.js';
import { Pools } from '../../src/common/egress/pools.js';
import { type Issued, TestAuthority } from '../support/authority.js';

describe('client certificates', () => {
  let authority: TestAuthority;
  let other: TestAuthority;
  let [alice, bob, stranger, host]: Issued[] = [];
  let server: Server;
  let egress: Egress;
  let url: string;
  let connections = 0;

  beforeAll(async () => {
    [authority, other] = await Promise.all([TestAuthority.make(), TestAuthority.make('Other')]);
    [alice, bob, stranger, host] = await Promise.all([
      authority.issue('alice'),
      authority.issue('bob'),
      other.issue('stranger'),
      authority.issue('receiver', ['127.0.0.1', 'receiver.internal']),
    ]);
  });

  beforeEach(async () => {
    connections = 0;
    const options = {
      cert: host!.certificate,
      key: host!.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    };
    server = createServer(options, (request, response) => {
      response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN);
    });
    server.on('secureConnection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    egress = new Egress({ allow: ['127.0.0.1'] });
  });

  afterEach(async () => {
    await egress.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const get = async (options: Partial<EgressRequest>): Promise<string> => {
    const answer = await egress.request(url, { method: 'GET', ...options });
    return answer.body.text();
  };
  const as = (clientCertificate: Issued) => ({ clientCertificate, ca: authority.certificate });
  const failureOf = (options: Partial<EgressRequest>): Promise<ConnectError> =>
    get(options).then(
      (text) => Promise.reject(new Error(`answered ${text}`)),
      (error: ConnectError) => error,
    );

  it('shows the certificate of the request, and trusts the authority of the request', async () => {
    expect(await get(as(alice!))).toBe('alice');
  });

  it('never sends a request over a connection of another certificate', async () => {
    const requested = [alice!, bob!, alice!, bob!, alice!, alice!, bob!];
    const answers = await Promise.all(requested.map((one) => get(as(one))));
    expect(answers).toEqual(['alice', 'bob', 'alice', 'bob', 'alice', 'alice', 'bob']);
    for (const one of requested) await get(as(one));
    expect(await get(as(bob!))).toBe('bob');
    expect(await get(as(alice!))).toBe('alice');
  });

  it('keeps the connection for the next request of the same certificate', async () => {
    for (let n = 0; n < 6; n++) await get(as({ ...alice! }));
    // A request may come before the connection of the one before is free.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('shows no certificate where none is given, although one was for this host before', async () => {
    await get(as(alice!));
    const error = await failureOf({ ca: authority.certificate });
    // TLS 1.3 tells a client of its refusal only with the first answer.
    expect(String(error.code)).toMatch(/ERR_SSL|ECONNRESET|UND_ERR_SOCKET/);
  });

  it('is refused with the certificate of somebody else', async () => {
    const error = await failureOf(as(stranger!));
    expect(String(error.code)).toMatch(/ERR_SSL|ECONNRESET|UND_ERR_SOCKET/);
  });

  it('does not trust a private authority where it is not named, nor another one', async () => {
    const untrusted = await failureOf({ clientCertificate: alice! });
    expect(untrusted).toBeInstanceOf(ConnectError);
    expect(untrusted.code).toBe('SELF_SIGNED_CERT_IN_CHAIN');
    const wrong = await failureOf({ clientCertificate: alice!, ca: other.certificate });
    expect(wrong.code).toMatch(/SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY/);
    expect(connections).toBe(0);
  });

  it('checks that the certificate of the server is for the host that was asked for', async () => {
    const resolver = { resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] };
    const named = new Egress({ allow: ['*.internal'], resolver });
    const { port } = new URL(url);
    const options = { method: 'GET', ...as(alice!) } as const;
    try {
      const good = await named.request(`https://receiver.internal:${port}/`, options);
      expect(await good.body.text()).toBe('alice');
      const bad = await named
        .request(`https://elsewhere.internal:${port}/`, options)
        .catch((error: unknown) => error);
      expect(bad).toMatchObject({ name: 'ConnectError', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    } finally {
      await named.close();
    }
  });

  it.each<[string, () => Issued]>([
    ['a key of another certificate', () => ({ ...alice!, key: bob!.key })],
    ['no certificate at all', () => ({ certificate: 'nonsense', key: alice!.key })],
    ['no key at all', () => ({ certificate: alice!.certificate, key: '' })],
  ])('says before connecting that it has %s, without the key', async (_what, given) => {
    const error = await failureOf(as(given()));
    expect(error).toMatchObject({ name: 'ConnectError', code: 'ERR_TLS_CLIENT_CERTIFICATE' });
    expect(error.message).not.toContain('PRIVATE');
    expect(connections).toBe(0);
  });

  it('does not take a plain address for one that asks for certificates', async () => {
    const plain = url.replace('https:', 'http:');
    const request = egress.request(plain, { method: 'GET', ...as(alice!) });
    await expect(request).rejects.toMatchObject({ reason: 'EGRESS_DENIED' });
  });

  it('serves fetch with a certificate', async () => {
    const fetch = egress.fetchWith(as(bob!));
    expect(await (await fetch(url)).text()).toBe('bob');
  });

  it('keeps a bounded number of identities; requests of one that has to go end undisturbed', async () => {
    const resolver = { resolve: () => Promise.reject(new Error('none')) };
    const policy = new EgressPolicy(['127.0.0.1']);
    const connector = new GuardedConnector(policy, resolver, undefined);
    const pools = new Pools(connector.connectorTo, 2);
    const ask = async (agent: ReturnType<Pools['of']>): Promise<string> => {
      const answer = await agent.request({ origin: new URL(url).origin, path: '/', method: 'GET' });
      return answer.body.text();
    };
    const first = pools.of(1000, as(alice!));
    const pending = ask(first);
    expect(pools.of(1000, as(alice!))).toBe(first);
    pools.of(1000, as(bob!));
    pools.of(1000, as(stranger!));
    expect(pools.of(1000, as(alice!))).not.toBe(first);
    expect(await pending).toBe('alice');
    await pools.close();
    expect(first.destroyed).toBe(true);
  });
});
