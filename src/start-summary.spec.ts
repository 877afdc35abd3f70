import { rootCertificates } from 'node:tls';
import { expect, it } from '@jest/globals';
import { configWith } from './config/index.js';
import { startSummary, summaryLines } from './start-summary.js';

const HUB = {
  version: '1.2.3',
  listening: 'http://127.0.0.1:4000',
  publicUrl: 'https://hub.example.com/base',
  grpc: undefined,
  agents: { known: 3, disabled: 1 },
};

it('tells at a start what an operator looks for, in about ten lines', () => {
  const config = configWith({ egress: { allow: ['10.0.0.0/8'] } });
  const lines = summaryLines(startSummary(config, HUB));
  expect(lines.split('\n').length).toBeLessThanOrEqual(13);
  expect(lines).toContain('https://hub.example.com/base (http://127.0.0.1:4000)');
  expect(lines).toMatch(/agents +3 registered, 1 disabled\n/);
  expect(lines).toMatch(/agentsAt +public addresses and 10\.0\.0\.0\/8\n/);
  expect(lines).toMatch(/docs +https:\/\/hub\.example\.com\/base\/docs\n/);
});

it('tells what callers come with', () => {
  const callers = (config: Parameters<typeof configWith>[0]): string | undefined =>
    startSummary(configWith(config), HUB)['callers'];
  expect(callers({})).toBe('with an API key');
  const entry = { name: 'a', subject: 'CN=a', organization: 'o', scopes: ['a2a'] } as const;
  const auth = { certificates: [entry], certificateProxies: ['10.0.0.1'] };
  const server = { tls: { clientCa: { text: rootCertificates[0]!, file: null } } };
  expect(callers({ auth, server })).toBe('with an API key or a client certificate');
});

it('tells no secrets', () => {
  const config = configWith({
    database: { url: 'postgres://hub:s3cret@db:5432/hub?password=s3cret' },
    auth: { adminKey: 's3cret-s3cret-s3cret-s3cret' },
    egress: { proxy: 'http://u:s3cret@proxy:3128' },
  });
  const lines = summaryLines(startSummary(config, HUB));
  expect(lines).not.toContain('s3cret');
  expect(lines).toMatch(/database +db:5432\/hub\n/);
});
