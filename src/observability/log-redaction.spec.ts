import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LogRedaction, type LogRedactionRules, MAX_LOOKED_AT } from './log-redaction.js';
import { ModuleLogs } from '../common/module-logs.js';
import { createLog } from './logging.js';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';

let lines: string[];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done): void {
    lines.push(chunk.toString());
    done();
  },
});
beforeEach(() => {
  lines = [];
});

const redactionOf = (rules: Partial<LogRedactionRules>): LogRedaction =>
  new LogRedaction({ principals: 'id', patterns: [], ...rules });
const last = (): Record<string, unknown> => JSON.parse(lines.at(-1)!) as Record<string, unknown>;

describe('whatever the settings', () => {
  it.each([
    ['a message', (): [object, string] => [{}, `refused ${JWT}`]],
    ['an error and its stack', (): [object, string] => [{ err: new Error(`refused ${JWT}`) }, 'x']],
    ['any depth', (): [object, string] => [{ a: { b: [{ c: `Bearer ${JWT}` }] } }, 'x']],
  ])('a credential in %s is not written', (_, entry) => {
    createLog('info', sink).info(...entry());
    expect(lines.join('')).not.toContain('eyJ');
    expect(lines.join('')).toContain('***');
    expect(last()).toHaveProperty('msg');
  });

  it('nor in a line that is written plainly', () => {
    new ModuleLogs(createLog('info', sink), 'info', {})
      .plain('observability')
      .info({ keyName: `https://me:pass@host "${JWT}"` }, 'request');
    expect(last()['keyName']).toBe('https://***@host "***"');
  });
});

describe('log.redact.patterns', () => {
  const log = (patterns: string[]): ReturnType<typeof createLog> =>
    createLog('info', sink, redactionOf({ patterns }));

  it('are replaced in messages, errors and names at any depth', () => {
    const err = new Error('no mailbox alice@acme.example');
    log(['[\\w.]+@[\\w.]+']).warn(
      { err, keyName: 'of bob@acme.example', a: [{ b: 'c@d.e' }] },
      'to f@g.h',
    );
    expect(lines[0]).not.toMatch(/\w@\w/);
    expect(last()).toMatchObject({ keyName: 'of ***', a: [{ b: '***' }], msg: 'to ***' });
  });

  it('leave ids and words of the hub', () => {
    const fields = { requestId: 'r-1', route: '/a/:id', status: 200, ms: 1.5, caller: 'p' };
    log(['.']).info(fields, 'request');
    expect(last()).toMatchObject({ ...fields, level: 'info', msg: '*'.repeat(21) });
  });

  it.each(['INVALID_PARAMS', 'rate-limited'])('leave the reason %s', (reason) => {
    log(['.']).info({ reason }, 'x');
    expect(last()).toMatchObject({ reason });
  });

  it('are replaced in a reason that is a text, which is cut as others are', () => {
    const reason = `c@d.e has no mailbox ${'x'.repeat(MAX_LOOKED_AT)}`;
    log(['[\\w.]+@[\\w.]+']).warn({ reason }, 'sending a cancel failed');
    expect(last()['reason']).toMatch(/^\*\*\* has no mailbox x+…$/);
    expect(lines[0]!.length).toBeLessThan(MAX_LOOKED_AT + 200);
  });

  it('are looked for in the first characters of a line; the rest is left out', () => {
    log(['secret']).info({ a: 'x'.repeat(MAX_LOOKED_AT - 2) + 'secret', b: 'secret' }, 'secret');
    expect(lines[0]).not.toContain('secret');
    expect(last()).toMatchObject({ b: '…', msg: '…' });
  });

  it('take bounded time for a line made for them', () => {
    const text = 'a'.repeat(1_000_000);
    const begun = performance.now();
    log(['(a?){20}a{20}b', '(.*)(.*)(.*)(.*)c']).info({ text }, 'x');
    expect(performance.now() - begun).toBeLessThan(200);
  });
});

describe('log.redact.principals', () => {
  it('writes digests under the key, the same in every line', async () => {
    const redaction = redactionOf({ principals: 'digest' });
    await redaction.prepare(() => Promise.resolve('a key'));
    const log = createLog('info', sink, redaction);
    log.info({ caller: 'alice', organization: 'acme' }, 'request');
    log.info({ principal: 'alice', by: 'bob' }, 'a principal was disabled');
    const [one, other] = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(one!['caller']).toMatch(/^digest:[0-9a-f]{32}$/);
    expect(one!['organization']).toBe('acme');
    expect(other!['principal']).toBe(one!['caller']);
    expect(other!['by']).not.toBe(one!['caller']);
  });

  it('leaves them out while there is no key', () => {
    createLog('info', sink, redactionOf({ principals: 'digest' })).info({ caller: 'alice' }, 'x');
    expect(last()['caller']).toBe('***');
  });
});
