import { describe, expect, it, jest } from '@jest/globals';
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

describeDatabases('deliveries in the order of their ids', (databases) => {
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

  it('are listed newest first, page by page, to the last', async () => {
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

  it('are looked for without reading all that is left', async () => {
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

  it('are looked for in pieces where reads hold the event loop', async () => {
    const { deliveries, database } = await open();
    const spy = jest.spyOn(database, 'read');
    await deliveries.list({ endpoint: 'none' }, ACME, 10, null);
    const reads = spy.mock.calls.length;
    spy.mockRestore();
    if (database.dialect === 'postgres') expect(reads).toBe(1);
    else expect(reads).toBeGreaterThanOrEqual(4);
  });

  describe('which were all given up, few of them lately', () => {
    const LATE = new Date(START + 9000 * HOUR);
    const late = { givenUpSince: LATE } as const;

    /** The ids of those that were, oldest first. */
    async function given(stores: PushStores, { active = 1 } = {}): Promise<string[]> {
      const few = ALL.filter(({ state }) => state === 'pending').map(({ id }) => id);
      await stores.database.write(function* (tx) {
        yield* tx.run("UPDATE push_deliveries SET state = 'dead'");
        yield* tx.run(
          `UPDATE push_deliveries SET updated_at = ? WHERE id IN (${few.map(() => '?').join(', ')})`,
          [LATE.getTime(), ...few],
        );
        for (const id of ['s', CONFIG]) {
          yield* tx.run(
            `INSERT INTO push_delivery_streams (id, task_id, webhook_uid, organization, endpoint, active, every_event,
               next_seq, head_seq, open, last_number, epoch, state, created_at, updated_at)
             VALUES (?, ?, ?, 'acme', 'usual', ?, 0, 1, 0, 0, 1, 0, 'active', 0, 0)`,
            [id, `t-${id}`, id, active],
          );
        }
      });
      return few.toReversed();
    }

    /** What `use` comes to, and how many statements looked for it and changed something. */
    async function counted<T>({ database }: PushStores, use: () => Promise<T>) {
      const [read, write] = [jest.spyOn(database, 'read'), jest.spyOn(database, 'write')];
      const outcome = await use();
      const calls = { reads: read.mock.calls.length, writes: write.mock.calls.length };
      read.mockRestore();
      write.mockRestore();
      if (database.dialect === 'sqlite') expect(calls.reads).toBeGreaterThanOrEqual(4);
      return { outcome, writes: calls.writes };
    }

    it('are purged and sent again in few transactions, and looked for outside of them', async () => {
      const stores = await open();
      const { deliveries } = stores;
      const few = await given(stores);
      const now = new Date(LATE.getTime() + HOUR);
      const sent = await counted(stores, () => deliveries.redeliverDead(late, ACME, 2, now));
      const ofAcme = few.filter((id) => ALL.find((row) => row.id === id)!.organization === 'acme');
      expect(sent).toEqual({ outcome: { count: 2, last: ofAcme[1] }, writes: 1 });
      const state = { ...late, state: 'dead' } as const;
      const left = async () =>
        (await deliveries.list(state, EVERYTHING, 99, null)).map(({ id }) => id).toReversed();
      expect(await left()).toEqual(few.filter((id) => !ofAcme.slice(0, 2).includes(id)));
      const [first] = await left();
      const purged = await counted(stores, () =>
        deliveries.purgeDead(late, EVERYTHING, 100, first),
      );
      expect(purged).toEqual({ outcome: { count: few.length - 3, last: null }, writes: 1 });
      expect(await left()).toEqual([first]);
    });

    it('are taken oldest first between two times, behind a cursor, by who may see them', async () => {
      const stores = await open();
      await given(stores);
      const [since, until] = [new Date(START + 10 * HOUR), new Date(START + 30 * HOUR)];
      const now = new Date(LATE.getTime() + HOUR);
      const mine = ALL.filter((row) => fits(row, { since, until }, ALICE)).toReversed();
      const [early, late, end] = [mine[3]!.id, mine.at(-3)!.id, mine.at(-1)!.id];
      const send = async (limit: number, after: string | null) => {
        const outcome = await stores.deliveries.redeliverDead(
          { since, until },
          ALICE,
          limit,
          now,
          after,
        );
        const sent = await stores.database.read<{ id: string }>(
          "SELECT id FROM push_deliveries WHERE state = 'pending' ORDER BY id",
        );
        await stores.database.write((tx) => tx.run("UPDATE push_deliveries SET state = 'dead'"));
        expect(outcome.count).toBe(sent.length);
        return { last: outcome.last, sent: sent.map(({ id }) => id) };
      };
      const ids = mine.map(({ id }) => id);
      const before = firstIdAt(new Date(START));
      const beyond = firstIdAt(new Date(START + 100 * HOUR));
      expect(await send(5, null)).toEqual({ last: ids[4], sent: ids.slice(0, 5) });
      expect(await send(5, before)).toEqual({ last: ids[4], sent: ids.slice(0, 5) });
      expect(await send(5, early)).toEqual({ last: ids[8], sent: ids.slice(4, 9) });
      expect(await send(5, late)).toEqual({ last: null, sent: ids.slice(-2) });
      expect(await send(5, end)).toEqual({ last: null, sent: [] });
      expect(await send(5, beyond)).toEqual({ last: null, sent: [] });
      expect(await send(1000, null)).toEqual({ last: null, sent: ids });
    });

    it('are not written for when their webhooks are gone', async () => {
      const stores = await open();
      await given(stores, { active: 0 });
      const outcome = await counted(stores, () =>
        stores.deliveries.redeliverDead({}, EVERYTHING, 100, LATE),
      );
      expect(outcome).toEqual({ outcome: { count: 0, last: null }, writes: 0 });
    });

    it('are counted in pieces, also by receiver', async () => {
      const stores = await open();
      const { deliveries } = stores;
      const few = await given(stores);
      const count = await counted(stores, () => deliveries.countDead(late, EVERYTHING, 100));
      expect(count.outcome).toEqual({ count: few.length, isLeast: false });
      expect(await deliveries.countDead(late, EVERYTHING, 3)).toEqual({ count: 3, isLeast: true });
      const lost = await counted(stores, () =>
        deliveries.lost({ since: LATE, endpoint: 'usual' }, EVERYTHING, 100),
      );
      expect(lost.outcome).toMatchObject({
        receivers: [{ endpoint: 'usual', count: few.length, firstAt: LATE, lastAt: LATE }],
        total: few.length,
        isLeast: false,
      });
    });
  });
});
