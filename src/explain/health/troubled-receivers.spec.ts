import { expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { DeliveryService, EndpointsService } from '../../push/index.js';
import { TroubledReceivers } from './troubled-receivers.js';

const REJECTS = 'HTTP 422: the receiver rejects it';
const GAVE_UP = 'HTTP 503: given up after 8 tries';
const WELL = { state: 'healthy', failures: 0, probeAt: null, lastSuccessAt: 5, lastFailureAt: 4 };
const BROKEN = { ...WELL, state: 'failing', failures: 3, lastFailureAt: 6, lastError: 'HTTP 500' };
const CALLER = { id: 'me', organization: 'acme' } as Principal;

interface Lost {
  readonly endpoint: string;
  readonly count: number;
  readonly rejected: number;
  readonly reasons: readonly { readonly reason: string | null; readonly count: number }[];
}

function troubled(
  lost: readonly Lost[],
  failing: readonly string[] = [],
  isLeast = false,
  known = WELL,
) {
  const asked: unknown[] = [];
  const deliveries = {
    lost: (filter: unknown, most: number) => {
      asked.push([filter, most]);
      return Promise.resolve({ receivers: lost, isLeast });
    },
  } as unknown as DeliveryService;
  const endpoints = {
    list: ({ state }: { state: string }) =>
      Promise.resolve({
        items: (state === 'failing' ? failing : []).map((endpoint) => ({
          endpoint,
          ...BROKEN,
          waiting: 4,
        })),
      }),
    named: (among: readonly string[]) =>
      Promise.resolve(among.map((endpoint) => ({ endpoint, ...known, waiting: 0 }))),
  } as unknown as EndpointsService;
  const clock = new SettableClock(Date.parse('2026-01-02T00:00:00Z'));
  return { asked, find: () => new TroubledReceivers(endpoints, deliveries, clock).find(CALLER, 9) };
}

it('tell a receiver that rejects events from one that lost some while it was away', async () => {
  const { asked, find } = troubled([
    {
      ...{ endpoint: 'acme https://both.example:443', count: 9, rejected: 2 },
      reasons: [
        { reason: GAVE_UP, count: 7 },
        { reason: REJECTS, count: 2 },
      ],
    },
    {
      ...{ endpoint: 'acme https://away.example:443', count: 3, rejected: 0 },
      reasons: [{ reason: GAVE_UP, count: 3 }],
    },
  ]);
  const known = { organization: 'acme', state: 'healthy', rejects: false, gone: false, waiting: 0 };
  expect((await find()).receivers).toEqual([
    { ...known, origin: 'https://both.example:443', lost: 9, rejected: 2, lastError: REJECTS },
    { ...known, origin: 'https://away.example:443', lost: 3, rejected: 0, lastError: GAVE_UP },
  ]);
  expect(asked).toEqual([[{ since: '2026-01-01T00:00:00.000Z' }, 1000]]);
});

it('say nothing of why, when none of the reasons that are known is a rejection', async () => {
  const endpoint = 'acme https://both.example:443';
  const reasons = [{ reason: GAVE_UP, count: 7 }];
  const {
    receivers: [found],
  } = await troubled([{ endpoint, count: 8, rejected: 1, reasons }]).find();
  expect(found).toMatchObject({ rejected: 1, lastError: null });
});

it('name one that fails once, with what it lost', async () => {
  const endpoint = 'acme https://away.example:443';
  const lost = [{ endpoint, count: 3, rejected: 0, reasons: [{ reason: GAVE_UP, count: 3 }] }];
  const { receivers, isLeast } = await troubled(lost, [endpoint], true).find();
  expect(isLeast).toBe(true);
  expect(receivers).toMatchObject([
    { state: 'failing', waiting: 4, lost: 3, lastError: 'HTTP 500' },
  ]);
});

it.each([
  [WELL, { state: 'healthy', rejects: false, gone: false }],
  [
    { ...WELL, lastFailureAt: 6, lastError: 'HTTP 422' },
    { state: 'failing', rejects: true, gone: false },
  ],
  [
    { ...WELL, lastFailureAt: 6, lastError: 'HTTP 410' },
    { state: 'failing', rejects: true, gone: true },
  ],
  [
    { ...WELL, failures: 1 },
    { state: 'failing', rejects: false, gone: false },
  ],
])('say of one that lost events what its list says of it: %j', async (known, said) => {
  const reasons = [{ reason: REJECTS, count: 3 }];
  const lost = [{ endpoint: 'acme https://a.example:443', count: 3, rejected: 3, reasons }];
  const { receivers } = await troubled(lost, [], false, known).find();
  expect(receivers).toMatchObject([said]);
});
