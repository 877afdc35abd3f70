import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { chainFault } from '../../src/common/tls/certificate-chain.js';
import { TestAuthority } from '../support/authority.js';
import { selfSigned } from '../support/self-signed.js';

const CLIENT = '1.3.6.1.5.5.7.3.2';
const SERVER = '1.3.6.1.5.5.7.3.1';
const read = (pem: string): X509Certificate => new X509Certificate(pem);
const NAME_CONSTRAINTS = new x509.Extension('2.5.29.30', true, Buffer.from('3000', 'hex'));

/** Why a chain is refused: the certificate first, then its intermediates; the authorities after that. */
function fault(
  [own, ...intermediates]: readonly string[],
  authorities: readonly string[],
  now = new Date(),
): string | undefined {
  return chainFault(read(own!), intermediates.map(read), authorities.map(read), now);
}

describe('the chain of a client certificate', () => {
  it('is good when an authority signed the certificate', async () => {
    const [root, other] = await Promise.all([TestAuthority.make(), TestAuthority.make('Other')]);
    const { certificate } = await root.issue('agent', [], { usages: [CLIENT] });
    expect(fault([certificate], [other.certificate, root.certificate])).toBeUndefined();
  });

  it('is good over intermediates, in order, also when the authority itself follows', async () => {
    const root = await TestAuthority.make();
    const first = await root.intermediate('First');
    const second = await first.intermediate('Second', { pathLength: 0 });
    const { certificate } = await second.issue('agent');
    const chain = [certificate, second.certificate, first.certificate];
    expect(fault(chain, [root.certificate])).toBeUndefined();
    expect(fault([...chain, root.certificate], [root.certificate])).toBeUndefined();
    expect(fault(chain.slice(0, 2), [first.certificate])).toBeUndefined();
  });

  it('is refused without the intermediate, or with them in another order', async () => {
    const root = await TestAuthority.make();
    const first = await root.intermediate('First');
    const second = await first.intermediate('Second');
    const { certificate } = await second.issue('agent');
    expect(fault([certificate], [root.certificate])).toContain('not signed by an authority');
    expect(fault([certificate, first.certificate], [root.certificate])).toContain(
      'not signed by the certificate that follows it',
    );
    expect(
      fault([certificate, first.certificate, second.certificate], [root.certificate]),
    ).toContain('not signed by the certificate that follows it');
  });

  it.each([
    ['expired', [-2, -1], 'has expired'],
    ['not valid yet', [1, 2], 'is not valid before'],
  ] as const)('is refused when the certificate is %s', async (_case, days, text) => {
    const root = await TestAuthority.make();
    const { certificate } = await root.issue('agent', [], { days });
    expect(fault([certificate], [root.certificate])).toContain(text);
  });

  it('is refused when an intermediate or the authority has expired', async () => {
    const root = await TestAuthority.make();
    const old = await root.intermediate('Old', { days: [-2, -1] });
    const { certificate } = await old.issue('agent');
    expect(fault([certificate, old.certificate], [root.certificate])).toContain(
      'is signed by one that has expired',
    );
    const ended = await TestAuthority.make('Ended', { days: [-2, -1] });
    const mine = (await ended.issue('agent')).certificate;
    expect(fault([mine], [ended.certificate])).toContain('is signed by one that has expired');
    const again = await ended.renewed({ days: [-1, 1] });
    expect(fault([mine], [ended.certificate, again.certificate])).toBeUndefined();
  });

  it('is refused of a wrong authority, of one of the same name, and self-signed', async () => {
    const [root, namesake] = await Promise.all([TestAuthority.make(), TestAuthority.make()]);
    const { certificate } = await namesake.issue('agent');
    const text = 'is not signed by an authority that the hub trusts for callers';
    expect(fault([certificate], [root.certificate])).toBe(text);
    expect(fault([certificate, namesake.certificate], [root.certificate])).toBe(text);
    const own = selfSigned().certificate;
    expect(fault([own], [root.certificate])).toBe(text);
    // Put there by itself, it is trusted by itself, and for nothing else.
    expect(fault([own], [own])).toBeUndefined();
  });

  it('is refused when one that is no authority has signed it', async () => {
    const root = await TestAuthority.make();
    const plain = await root.intermediate('Plain', { isAuthority: false });
    const { certificate } = await plain.issue('agent');
    expect(fault([certificate, plain.certificate], [root.certificate])).toBeDefined();
    expect(fault([certificate], [plain.certificate])).toBeDefined();
  });

  it('is refused when an authority on the way may sign for servers alone', async () => {
    const root = await TestAuthority.make();
    const usage = (id: string): x509.Extension => new x509.ExtendedKeyUsageExtension([id]);
    const servers = await root.intermediate('Servers', { extensions: [usage(SERVER)] });
    const mine = (await servers.issue('agent', [], { usages: [CLIENT] })).certificate;
    expect(fault([mine, servers.certificate], [root.certificate])).toBe(
      'is signed by one that is not for clients (extended key usage)',
    );
    const clients = await root.intermediate('Clients', { extensions: [usage(CLIENT)] });
    const { certificate } = await clients.issue('agent');
    expect(fault([certificate, clients.certificate], [root.certificate])).toBeUndefined();
  });

  it('is refused when it is longer than its authority allows', async () => {
    const root = await TestAuthority.make('Short', { pathLength: 0 });
    const below = await root.intermediate('Below');
    const { certificate } = await below.issue('agent');
    expect(fault([certificate, below.certificate], [root.certificate])).toBe(
      'has more intermediate certificates than its authority allows',
    );
    expect(fault([(await root.issue('direct')).certificate], [root.certificate])).toBeUndefined();
  });

  it('is refused when it is huge', async () => {
    const root = await TestAuthority.make();
    const { certificate } = await root.issue('agent');
    const many = Array.from({ length: 9 }, () => root.certificate);
    expect(fault([certificate, ...many], [root.certificate])).toContain('more than 8');
  });

  it('is refused when it is for servers, or has a critical extension that nobody looks at', async () => {
    const root = await TestAuthority.make();
    const { certificate } = await root.issue('host', [], { usages: [SERVER] });
    expect(fault([certificate], [root.certificate])).toContain('not for clients');
    const limited = await root.intermediate('Limited', { extensions: [NAME_CONSTRAINTS] });
    const mine = (await limited.issue('agent')).certificate;
    expect(fault([mine, limited.certificate], [root.certificate])).toBe(
      'is signed by one that has a critical extension that the hub does not know',
    );
  });

  it('is refused when its signature is by SHA-1 or its key is short', async () => {
    const make = async (hash: string, bits: number): Promise<string> => {
      const algorithm = {
        name: 'RSASSA-PKCS1-v1_5',
        hash,
        publicExponent: new Uint8Array([1, 0, 1]),
      };
      const keys = await crypto.subtle.generateKey({ ...algorithm, modulusLength: bits }, true, [
        'sign',
        'verify',
      ]);
      const made = await x509.X509CertificateGenerator.createSelfSigned({
        name: 'CN=weak',
        keys,
        signingAlgorithm: algorithm,
      });
      return made.toString('pem');
    };
    const [sha1, short] = await Promise.all([make('SHA-1', 2048), make('SHA-256', 1024)]);
    expect(fault([sha1], [sha1])).toContain('SHA-1');
    expect(fault([short], [short])).toContain('less than 2048 bits');
  });
});
