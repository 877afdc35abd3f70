import { expect, it } from '@jest/globals';
import { readDeclaredExports } from './declared-exports.js';

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ONE = { id: 'siem', type: 'webhook', url: 'https://siem.example/in' };

async function faultOf(...entries: object[]): Promise<string> {
  try {
    await readDeclaredExports(entries as never);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

it('takes what is given, and the usual for the rest', async () => {
  const given = { ...ONE, secret: KEY, from: 'start', batch: 7, timeout: '2s' };
  expect(await readDeclaredExports([given])).toEqual([
    {
      ...ONE,
      ...{ from: 'start', authorization: null, ca: null, batchEntries: 7, timeoutMs: 2000 },
      secret: Buffer.alloc(32, 7),
    },
  ]);
  expect(await readDeclaredExports([ONE])).toMatchObject([
    { from: 'now', secret: null, batchEntries: 100, timeoutMs: 15_000 },
  ]);
});

it.each([
  [{ ...ONE, id: 'Not An Id' }, /export\[0\]\.id must be/],
  [{ ...ONE, type: 'kafka' }, /export\[0\]\.type/],
  [{ ...ONE, url: 'tcp://siem.example:514' }, /url.*must be an http or https URL/],
  [{ ...ONE, url: 'https://user:pass@siem.example/' }, /url.*must not hold a user/],
  [{ ...ONE, secret: 'hunter2' }, /secret.*must be whsec_/],
  [{ ...ONE, secret: `whsec_${Buffer.alloc(8).toString('base64')}` }, /24 to 64 bytes/],
  [{ ...ONE, type: 'otlp', secret: KEY }, /secret.*is for webhooks only/],
  [{ ...ONE, type: 'syslog', url: 'tls://logs.example' }, /url.*tls:\/\/HOST:PORT/],
  [{ ...ONE, type: 'syslog', url: 'tls://logs.example:6514/x' }, /url.*tls:\/\/HOST:PORT/],
  [
    { ...ONE, type: 'syslog', url: 'tls://l:6514', authorization: 'x' },
    /authorization.*not for syslog/,
  ],
  [{ ...ONE, authorization: 'Bearer a\nb: c' }, /authorization must be printable/],
  [{ ...ONE, ca: 'not a certificate' }, /ca.*PEM/],
  [{ ...ONE, batch: 0 }, /batch/],
  [{ ...ONE, batch: '5' }, /batch/],
  [{ ...ONE, timeout: '5m' }, /timeout.*100ms to 30s/],
  [{ ...ONE, sercet: 'x' }, /sercet/],
])('refuses %j', async (entry, fault) => {
  const said = await faultOf(entry);
  expect(said.replaceAll(' (file): ', ' ')).toMatch(fault);
  expect(said).not.toMatch(/hunter2|pass@/);
});

it('refuses an id twice', async () => {
  expect(await faultOf(ONE, ONE)).toContain('is the id of an export before it');
});
