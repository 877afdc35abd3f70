import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { factsOf } from '../../src/auth/certificates/certificate-facts.js';
import { matchCertificate } from '../../src/auth/certificates/match-certificate.js';
import type { CertificateCaller } from '../../src/config/index.js';
import { type IssueOptions, TestAuthority } from '../support/authority.js';

type Names = Pick<CertificateCaller, 'spiffeId' | 'dnsName' | 'subject'>;
let authority: TestAuthority;

beforeAll(async () => {
  authority = await TestAuthority.make();
});

async function match(
  names: readonly Names[],
  hosts: readonly string[],
  options: IssueOptions = {},
): Promise<string> {
  const { certificate } = await authority.issue('agent', hosts, options);
  const entries = names.map((each, index) => ({
    name: `entry-${index}`,
    organization: 'acme',
    scopes: ['a2a'] as const,
    ...each,
  }));
  const found = matchCertificate(factsOf(new X509Certificate(certificate)), entries, new Date());
  return 'why' in found ? found.why : `${found.entry.name} ${found.subject}`;
}

const NOBODY = 'is of no caller that the hub knows (auth.certificates)';

describe('a certificate with a SPIFFE id', () => {
  const ID = 'spiffe://acme.example/ns/prod/build';
  const of = (pattern: string, uris: readonly string[] = [ID]): Promise<string> =>
    match([{ spiffeId: pattern }], [], { uris });

  it('fits its id, and the paths above it', async () => {
    expect(await of(ID)).toBe(`entry-0 ${ID}`);
    expect(await of('spiffe://acme.example/ns/prod/*')).toBe(`entry-0 ${ID}`);
    expect(await of('spiffe://acme.example/*')).toBe(`entry-0 ${ID}`);
  });

  it.each([
    'spiffe://acme.example/ns/prod',
    'spiffe://acme.example/ns/prod/build/*',
    'spiffe://acme.example/ns/pro/*',
    'spiffe://acme.example/ns/prod/builder',
    'spiffe://other.example/*',
    'spiffe://acme.example.evil/*',
  ])('does not fit %s', async (pattern) => {
    expect(await of(pattern)).toBe(NOBODY);
  });

  it.each([
    ['two ids', [ID, 'spiffe://acme.example/other']],
    ['another URI beside it', ['https://acme.example/', ID]],
    ['a path out of its place', ['spiffe://acme.example/ns/prod/../../root']],
    ['a name within the URI', ['https://x.example/, URI:spiffe://acme.example/ns/prod/build']],
    ['capitals in the trust domain', ['spiffe://ACME.example/ns/prod/build']],
    ['a query', [`${ID}?a=b`]],
  ])('fits nothing with %s', async (_case, uris) => {
    expect(await of('spiffe://acme.example/*', uris)).toBe(NOBODY);
  });
});

describe('a certificate with DNS names', () => {
  it('fits each of them, whatever the case', async () => {
    const names = ['a.acme.example', 'B.acme.example'];
    expect(await match([{ dnsName: 'b.ACME.example' }], names)).toBe('entry-0 b.acme.example');
    expect(await match([{ dnsName: 'acme.example' }], names)).toBe(NOBODY);
  });

  it('fits no name that only looks like one of its own', async () => {
    for (const name of ['*.acme.example', 'x, DNS:a.acme.example', 'a.acme.example\0.evil']) {
      expect(await match([{ dnsName: 'a.acme.example' }], [name])).toBe(NOBODY);
    }
  });

  it('does not fit by its common name', async () => {
    const subject = 'CN=a.acme.example';
    expect(await match([{ dnsName: 'a.acme.example' }], [], { subject })).toBe(NOBODY);
  });
});

describe('a certificate with a subject', () => {
  // The first of a certificate is the last of RFC 4514.
  const options = { subject: 'C=DE, O=Acme\\, Inc, OU=Ops+CN=agent' };

  it('fits its whole name, however that is spaced', async () => {
    for (const subject of [
      'CN=agent+OU=Ops,O=Acme\\, Inc,C=DE',
      'ou = Ops + cn=agent, O=Acme\\2c Inc , C=DE',
    ]) {
      expect(await match([{ subject }], [], options)).toBe(
        'entry-0 CN=agent+OU=Ops,O=Acme\\, Inc,C=DE',
      );
    }
  });

  it.each([
    'CN=agent',
    'CN=agent,OU=Ops,O=Acme\\, Inc,C=DE',
    'C=DE,O=Acme\\, Inc,OU=Ops+CN=agent',
    'CN=Agent+OU=Ops,O=Acme\\, Inc,C=DE',
    'CN=agent+OU=Ops,O=Acme,O=Inc,C=DE',
  ])('does not fit %s', async (subject) => {
    expect(await match([{ subject }], [], options)).toBe(NOBODY);
  });

  it('fits the first of several entries', async () => {
    const names = [{ dnsName: 'b.example' }, { subject: 'CN=agent' }, { dnsName: 'a.example' }];
    expect(await match(names, ['a.example'])).toBe('entry-1 CN=agent');
  });
});

describe('a certificate that does not count now', () => {
  it('is nobody', async () => {
    const names = [{ subject: 'CN=agent' }];
    expect(await match(names, [], { days: [-2, -1] })).toContain('has expired');
    expect(await match(names, [], { days: [1, 2] })).toContain('is not valid before');
  });
});
