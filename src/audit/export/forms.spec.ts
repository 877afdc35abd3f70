import { describe, expect, it } from '@jest/globals';
import { nextEvent } from '../domain/next-event.js';
import { CHAIN_START, type AuditEvent } from '../domain/audit-event.js';
import { NO_CALLER } from '../audit-entry.js';
import { pauseAfter } from './export-run.js';
import { otlpLogs } from './otlp-form.js';
import { syslogFrame } from './syslog-form.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

function event(fields: Partial<AuditEvent> = {}): AuditEvent {
  const entry = {
    ...({ action: 'keys.revoke', outcome: 'succeeded', requestId: 'r1', policy: null } as const),
    actor: { ...NO_CALLER, principal: 'größe', organization: 'acme' },
    resource: { type: 'keys', id: 'k1' },
    details: { traceId: TRACE },
  };
  const made = nextEvent(entry, 'c1', CHAIN_START, 'e1', new Date('2026-01-02T03:04:05.678Z'));
  return { ...made, ...fields };
}

describe('a message of syslog', () => {
  it('has the length before it, the header of RFC 5424, and the entry as JSON in ASCII', () => {
    const frame = syslogFrame(event(), 'my host');
    const [, length, message] = /^(\d+) (.*)$/s.exec(frame)!;
    expect(Buffer.byteLength(message!)).toBe(Number(length));
    const header =
      '<110>1 2026-01-02T03:04:05.678Z my?host a2a-hub - keys.revoke [meta sequenceId="1"] ';
    expect(message!.slice(0, header.length)).toBe(header);
    const json = message!.slice(header.length);
    expect(json).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(event())));
  });

  it('of a refusal is a warning; long names are cut, and numbers begin anew', () => {
    const seq = 2_147_483_648;
    const frame = syslogFrame(event({ outcome: 'refused', action: 'x'.repeat(80), seq }), '');
    expect(frame).toContain(` - a2a-hub - ${'x'.repeat(32)} [meta sequenceId="1"] `);
    expect(frame).toMatch(/^\d+ <108>1 /);
  });
});

describe('log records of OTLP', () => {
  it('have the form of its JSON encoding', () => {
    expect(otlpLogs([event()], '1.2.3')).toEqual({
      resourceLogs: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'a2a-hub' } },
              { key: 'service.version', value: { stringValue: '1.2.3' } },
            ],
          },
          scopeLogs: [
            {
              scope: { name: 'a2a-hub.audit' },
              logRecords: [
                {
                  timeUnixNano: '1767323045678000000',
                  observedTimeUnixNano: '1767323045678000000',
                  ...{ severityNumber: 9, severityText: 'INFO', traceId: TRACE },
                  body: { stringValue: JSON.stringify(event()) },
                  attributes: expect.arrayContaining([
                    { key: 'audit.seq', value: { intValue: '1' } },
                    { key: 'audit.action', value: { stringValue: 'keys.revoke' } },
                  ]),
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each(['0'.repeat(32), 'F'.repeat(32), 'short'])(
    'leave out the trace %s, which is none',
    (traceId) => {
      expect(JSON.stringify(otlpLogs([event({ details: { traceId } })], '1'))).not.toContain(
        '"traceId":"',
      );
    },
  );
});

it('the pause doubles up to five minutes, and half of it is chance', () => {
  expect([1, 2, 3, 20].map((failures) => pauseAfter(failures, 0))).toEqual([
    500, 1000, 2000, 150_000,
  ]);
  expect(pauseAfter(1000, 0.999_999)).toBe(300_000);
});
