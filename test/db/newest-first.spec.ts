import { expect, it, jest } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import { firstIdAt } from '../../src/common/ids.js';
import type { DeliveryFilter } from '../../src/push/records/delivery-store.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';

const ROWS = 3000;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
/** Of a webhook without an id of its client's, and of a stream of another. */
const CONFIG = '01890a5d-ac96-774b-bcce-b302099a8057';
const ACME: Visibility = { kind: 'organization', organization: 'acme' };
const ALICE: Visibility = { kind: 'principal', principalId: 'alice', organization: 'acme' };

/** One a minute; of some endpoints and states there are few. */
function rowOf(index: number) {
  const at = START + index * 60_000;
  return {
    id: firstIdAt(new Date(at)),
    organization: index % 10 === 0 ? 'other' : 'acme',
    principalId: index % 3 === 0 ? 'alice' : 'bob',
    configId: index % 2 === 0 ? CONFIG : 'c',
    streamId: index % 2 === 1 && index % 5 === 0 ? CONFIG : 's',
    endpoint: index % 997 === 7 ? 'rare' : 'usual',
    state: index % 701 === 8 ? 'pending' : 'delivered',
    at,
  };
}

type Row = ReturnType<typeof rowOf>;

const ALL = Array.from({ length: ROWS }, (_, index) => rowOf(index)).reverse();

function fits(row: Row, filter: DeliveryFilter, visibility: Visibility): boolean {
  const { state, endpoint, organization, since, until, configId } = filter;
  const isSeen =
    visibility.kind === 'everything' ||
    (row.organization === visibility.organization &&
      (visibility.kind === 'organization' || row.principalId === visibility.principalId));
  return (
    isSeen &&
    (state === undefined || row.state === state) &&
    (configId === undefined || [row.configId, row.streamId].includes(configId)) &&
    (endpoint === undefined || row.endpoint === endpoint) &&
    (organization === undefined || row.organization === organization) &&
    (since === undefined || row.at >= since.getTime()) &&
    (until === undefined || row.at < until.getTime())
  );
}

const LISTS: readonly (readonly [DeliveryFilter, Visibility])[] = [
  [{}, EVERYTHING],
  [{}, ALICE],
  [{ endpoint: 'rare' }, EVERYTHING],
  [{ endpoint: 'rare' }, ACME],
  [{ endpoint: 'rare', organization: 'other' }, EVERYTHING],
  [{ endpoint: 'none' }, ALICE],
  [{ state: 'pending' }, ALICE],
  [{ state: 'pending', endpoint: 'usual' }, ACME],
  [{ endpoint: 'rare', since: new Date(START + 20 * HOUR) }, ACME],
  [{ endpoint: 'rare', until: new Date(START + 20 * HOUR) }, EVERYTHING],
  [{ configId: CONFIG, state: 'dead' }, EVERYTHING],
  [{ configId: CONFIG }, ALICE],
  [{ configId: CONFIG, endpoint: 'rare' }, ACME],
  [{ configId: CONFIG, state: 'pending', until: new Date(START + 40 * HOUR) }, ACME],
  [{ since: new Date(START + 10 * HOUR), until: new Date(START + 30 * HOUR) }, ALICE],
];

describeDatabases('the newest first of many', (databases) => {
  async function open(): Promise<PushStores> {
    const stores = new PushStores(await databases.openEmptied());
    await stores.database.write(function* (tx) {
      for (let from = 0; from < ROWS; from += 100) {
        const rows = ALL.slice(from, from + 100);
        yield* tx.run(
          `INSERT INTO push_deliveries (id, stream_id, task_id, config_id, endpoint, organization, principal_id,
             number, seq, kind, webhook_id, state, attempts, tries, rejections, redelivered, created_at, updated_at)
           VALUES ${rows.map(() => "(?, ?, 't', ?, ?, ?, ?, 1, 1, 'event', 'w', ?, 1, 1, 0, 0, ?, ?)").join(', ')}`,
          rows.flatMap(
            ({ id, streamId, configId, endpoint, organization, principalId, state, at }) => {
              return [id, streamId, configId, endpoint, organization, principalId, state, at, at];
            },
          ),
        );
      }
    });
    return stores;
  }

  it('is what fits, page by page, to the last', async () => {
    const { deliveries } = await open();
    expect(ALL.filter(({ endpoint }) => endpoint === 'rare')).toHaveLength(4);
    expect(ALL.filter(({ state }) => state === 'pending')).toHaveLength(5);
    for (const [filter, visibility] of LISTS) {
      const expected = ALL.filter((row) => fits(row, filter, visibility)).map(({ id }) => id);
      for (const limit of [3, 250, ROWS]) {
        const found: string[] = [];
        for (let cursor: string | null = null; ;) {
          const page: readonly { readonly id: string }[] = await deliveries.list(
            filter,
            visibility,
            limit,
            cursor,
          );
          for (const { id } of page) found.push(id);
          if (page.length < limit || found.length > 300) break;
          cursor = page.at(-1)!.id;
        }
        expect(found).toEqual(expected.slice(0, found.length));
        if (found.length < 300) expect(found).toHaveLength(expected.length);
      }
    }
  });

  it('is looked for without reading all that is left', async () => {
    const { deliveries, database } = await open();
    if (database.dialect === 'postgres') return;
    const spy = jest.spyOn(database, 'read');
    for (const [filter, visibility] of LISTS) await deliveries.list(filter, visibility, 10, null);
    const calls = spy.mock.calls.filter(([sql]) => sql.includes('OFFSET'));
    spy.mockRestore();
    expect(calls.length).toBeGreaterThanOrEqual(LISTS.length);
    for (const [sql, params] of calls) {
      const steps = await database.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      expect(steps.map(({ detail }) => detail).join('; ')).not.toContain('TEMP B-TREE');
    }
  });

  it('is looked for in pieces where reads hold the event loop', async () => {
    const { deliveries, database } = await open();
    const spy = jest.spyOn(database, 'read');
    await deliveries.list({ endpoint: 'none' }, ACME, 10, null);
    const reads = spy.mock.calls.length;
    spy.mockRestore();
    if (database.dialect === 'postgres') expect(reads).toBe(1);
    else expect(reads).toBeGreaterThanOrEqual(4);
  });
});
