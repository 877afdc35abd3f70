import { expect, it } from '@jest/globals';
import { reasonOfBacklog, reasonOfDisabled } from '../../delivery/domain/dead-causes.js';
import { lostByReceiver } from './lost-by-receiver.js';

const GONE = 'HTTP 410: the receiver wants no more';

it('counts a reason once, whichever entries of the log it is of', () => {
  const row = (reason: string | null, fit: number) => ({
    ...{ endpoint: 'acme https://a.example', reason, fit, own: fit },
    ...{ looked_at: fit, first_at: 1, last_at: 2 },
  });
  const rows = [
    row('HTTP 503: given up after 8 tries', 3),
    row(GONE, 2),
    row(reasonOfDisabled(GONE), 1),
    row(reasonOfBacklog(reasonOfDisabled(GONE), 3, 9), 1),
    row(null, 1),
  ];
  expect(lostByReceiver(rows)[0]!.reasons).toEqual([
    { reason: GONE, count: 4 },
    { reason: 'HTTP 503: given up after 8 tries', count: 3 },
    { reason: null, count: 1 },
  ]);
});
