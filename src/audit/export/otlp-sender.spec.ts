import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { Egress } from '../../common/egress/egress.js';
import type { Log } from '../../common/logger.js';
import { NO_CALLER } from '../audit-entry.js';
import { CHAIN_START } from '../domain/audit-event.js';
import { nextEvent } from '../domain/next-event.js';
import { OtlpSender } from './otlp-sender.js';

const ENTRY = {
  ...({ action: 'keys.revoke', outcome: 'succeeded', requestId: 'r1', policy: null } as const),
  ...{ actor: NO_CALLER, resource: null, details: {} },
};

it.each<[unknown, number | undefined]>([
  [{ partialSuccess: { rejectedLogRecords: '1' } }, 1],
  [{ partialSuccess: { rejectedLogRecords: 1, errorMessage: 'a secret of theirs' } }, 1],
  [{ partialSuccess: { rejectedLogRecords: 9 } }, 2],
  [{ partialSuccess: { rejectedLogRecords: 0 } }, undefined],
  [{ partialSuccess: { rejectedLogRecords: 'many' } }, undefined],
  [{ partialSuccess: { rejectedLogRecords: 0.5 } }, undefined],
  [{ partialSuccess: { rejectedLogRecords: -1 } }, undefined],
  [{ partialSuccess: [] }, undefined],
  [{}, undefined],
  ['none', undefined],
])('an answer %j to two entries has not taken %s of them', async (said, count) => {
  const warned: unknown[] = [];
  const egress = {
    request: () =>
      Promise.resolve({
        ...{ statusCode: 200, headers: { 'content-type': 'application/json' } },
        body: Readable.from([Buffer.from(JSON.stringify(said))]),
      }),
  } as unknown as Egress;
  const log = { warn: (fields: unknown) => warned.push(fields) } as unknown as Log;
  const to = {
    ...({ id: 'siem', type: 'otlp', url: 'https://siem.example/', from: 'start' } as const),
    ...{ secret: null, authorization: null, ca: null, batchEntries: 4, timeoutMs: 1000 },
  };
  const event = nextEvent(ENTRY, 'c1', CHAIN_START, 'e1', new Date(0));
  const batch = { chain: 'c1', first: 1, last: 2, events: [event, event] };
  const notTaken = await new OtlpSender(to, egress, log).send(batch, AbortSignal.timeout(5000));
  const expected =
    count === undefined ? undefined : { count, why: `the receiver rejected ${count} of 2 entries` };
  expect(notTaken).toEqual(expected);
  expect(warned).toEqual(count === undefined ? [] : [{ export: 'siem', rejected: count }]);
});
