import { describe, expect, it } from '@jest/globals';
import { certificateCallers } from './certificate-callers.js';

const GOOD = { name: 'agents', subject: 'CN=a,O=Acme', organization: 'acme', scopes: ['a2a'] };
const setting = certificateCallers({ default: [], description: 'Callers.' });

function faults(...entries: unknown[]): readonly string[] {
  const value = setting.read(entries, 'file');
  const found = setting.faults(entries);
  expect(value === undefined).toBe(found.length > 0);
  return found;
}

describe('a list of callers by certificate', () => {
  it('is taken as it is written', () => {
    const spiffe = { ...GOOD, subject: undefined, spiffeId: 'spiffe://acme.example/ns/*' };
    const list = [
      GOOD,
      { ...spiffe, name: 'b' },
      { ...spiffe, name: 'c', spiffeId: undefined, dnsName: 'a.example' },
    ];
    expect(faults(...list)).toEqual([]);
    expect(setting.read(list, 'file')).toEqual(list);
    expect(setting.read('agents', 'environment')).toBeUndefined();
  });

  it.each([
    ['no mapping', 'agents', ': is not a mapping'],
    ['an unknown member', { ...GOOD, issuer: 'x' }, '.issuer: is not a member'],
    ['no name', { ...GOOD, name: undefined }, '.name: is not [a-z0-9-]{1,63}'],
    ['another name', { ...GOOD, name: 'Agents!' }, '.name: is not [a-z0-9-]{1,63}'],
    ['no organization', { ...GOOD, organization: '' }, '.organization: is not a name'],
    [
      'an organization with a slash',
      { ...GOOD, organization: 'a/b' },
      '.organization: is not a name',
    ],
    [
      'an organization with a blank at its end',
      { ...GOOD, organization: 'acme ' },
      '.organization: is not a name',
    ],
    ['an endless organization', { ...GOOD, organization: 'x'.repeat(201) }, '.organization'],
    ['no scopes', { ...GOOD, scopes: [] }, '.scopes: is not a list of one or more of a2a'],
    ['another scope', { ...GOOD, scopes: ['a2a', 'root'] }, '.scopes'],
    ['two names', { ...GOOD, dnsName: 'a.example' }, ': needs exactly one of spiffeId, dnsName'],
    [
      'nobody',
      { ...GOOD, subject: undefined },
      ': needs exactly one of spiffeId, dnsName, subject',
    ],
    [
      'no distinguished name',
      { ...GOOD, subject: 'agent' },
      '.subject: is not a distinguished name',
    ],
    ['half a name', { ...GOOD, subject: 'CN=a,O' }, '.subject: is not a distinguished name'],
    ['a subject of the wrong type', { ...GOOD, subject: 7 }, '.subject: is not'],
  ])('is refused with %s', (_case, entry, text) => {
    const found = faults(entry);
    expect(found.join()).toContain(`[0]${text}`);
  });

  it.each([
    'spiffe://',
    'spiffe://acme.example/',
    'spiffe://Acme.example/a',
    'spiffe://acme.example/a*',
    'spiffe://acme.example/../a',
    'spiffe://acme.example//a',
    'https://acme.example/a',
    'spiffe://acme.example/a?b',
    'spiffe://*/a',
    '*',
    `spiffe://a/${'x'.repeat(2048)}`,
  ])('is refused with the SPIFFE id %s', (spiffeId) => {
    expect(faults({ ...GOOD, subject: undefined, spiffeId }).join()).toContain('SPIFFE id');
  });

  it.each(['', '*.acme.example', 'a..b', 'a b', '-a.example', 'x'.repeat(254)])(
    'is refused with the DNS name "%s"',
    (dnsName) => {
      expect(faults({ ...GOOD, subject: undefined, dnsName }).join()).toContain('DNS name');
    },
  );

  it('is refused with one name twice, or endless', () => {
    const other = { ...GOOD, subject: 'CN=b,O=Acme' };
    expect(faults(GOOD, other)).toEqual(['[1].name: is the name of an entry before it']);
    expect(faults(...Array.from({ length: 1001 }, () => GOOD))).toEqual([
      'has more than 1000 entries',
    ]);
  });

  it.each([
    ['subject', 'CN=a,O=Acme', 'cn=a, o=Acme'],
    ['dnsName', 'a.example', 'A.example'],
    ['spiffeId', 'spiffe://acme.example/*', 'spiffe://acme.example/*'],
  ])('is refused with one %s twice, however it is written', (key, one, two) => {
    const entry = { ...GOOD, subject: undefined };
    expect(faults({ ...entry, [key]: one }, { ...entry, name: 'b', [key]: two })).toEqual([
      `[1].${key}: is that of an entry before it`,
    ]);
  });
});
