import { rootCertificates } from 'node:tls';
import { expect, it } from '@jest/globals';
import type { PemText } from '../common/tls/pem.js';
import { configWith } from './load-config.js';
import { needRestart } from './need-restart.js';

const CALLERS = {
  certificates: [{ name: 'a', subject: 'CN=a', organization: 'o', scopes: ['a2a'] }],
  certificateProxies: ['10.0.0.1'],
} as const;

const needs = (before: PemText, after: PemText): string[] => {
  const [one, other] = [before, after].map((clientCa) =>
    configWith({ auth: CALLERS, server: { tls: { clientCa } } }),
  );
  return needRestart(one!, other!);
};

it('does not say so of a file of certificates that holds others: it is followed by itself', () => {
  const [first, second] = rootCertificates.map((text) => ({ text, file: '/etc/ca.pem' }));
  expect(needs(first!, second!)).toEqual([]);
  expect(needs(first!, { ...second!, file: '/etc/other.pem' })).toEqual(['server.tls.clientCa']);
  expect(needs({ ...first!, file: null }, { ...second!, file: null })).toEqual([
    'server.tls.clientCa',
  ]);
});
