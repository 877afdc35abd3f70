import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createLog } from './logging.js';
import { prettyLines } from './pretty-lines.js';
import { RequestLog } from './request-log.js';

function logged(): { readonly lines: string[]; readonly log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done): void {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, log: createLog('info', prettyLines(sink)) };
}

it('puts what a request was into one line for people', () => {
  const { lines, log } = logged();
  new RequestLog(log, true).write({
    note: { id: 'r1', operation: 'SendMessage', taskId: 't1' },
    caller: { id: 'p1', organization: 'acme', keyId: 'k1', keyName: 'ci bot' },
    to: { method: 'POST', route: '/a2a' },
    status: 200,
    ms: 12.345,
    cut: false,
    failed: false,
    isProbe: false,
  });
  expect(lines.join('')).toMatch(
    /^\[[\d:.]+\] INFO: request POST \/a2a SendMessage 200 12\.3 ms p1 \(ci bot\) task t1 \{"requestId":"r1","organization":"acme","keyId":"k1"\}\n$/,
  );
});

it('says why a request failed whose status is 200', () => {
  const { lines, log } = logged();
  new RequestLog(log, true).write({
    note: { id: 'r1', operation: 'GetTask', reason: 'TASK_NOT_FOUND', code: -32001 },
    caller: null,
    to: { method: 'POST', route: '/a2a' },
    ...{ status: 200, ms: 1, cut: false, failed: false, isProbe: false },
  });
  expect(lines.join('')).toContain('POST /a2a GetTask 200 -32001 TASK_NOT_FOUND 1 ms');
});

it('shows other entries with their fields, and no secrets', () => {
  const { lines, log } = logged();
  log.warn({ agentId: 'a', headers: { authorization: 's3cret' } }, 'agent cannot be reached');
  expect(lines.join('')).toMatch(/^\[[\d:.]+\] WARN: agent cannot be reached \{"agentId":"a",/);
  expect(lines.join('')).not.toContain('s3cret');
});
