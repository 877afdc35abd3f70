import { beforeEach, describe, expect, it } from '@jest/globals';
import { entryOf, AuditProcess } from '../support/audit-process.js';
import type { AuditEvent } from '../../src/audit/domain/audit-event.js';
import { hashOfEvent } from '../../src/audit/domain/audit-event.js';
import type { AuditFilter } from '../../src/audit/audit-store.js';
import { configWith } from '../../src/config/index.js';
import type { Page } from '../../src/common/page.js';
import type { Database } from '../../src/database/database.js';
import { FakeClock } from '../support/fake-clock.js';

/** What is promised of the audit log and its lists. */
export function auditLogContract(open: () => Promise<Database>): void {
  let database: Database;
  let clock: FakeClock;
  let hub: AuditProcess;

  beforeEach(async () => {
    database = await open();
    clock = new FakeClock();
    hub = new AuditProcess(database, clock);
  });

  const all = async (process = hub): Promise<AuditEvent[]> => {
    const events: AuditEvent[] = [];
    for await (const piece of process.reader.all({})) events.push(...piece);
    return events;
  };

  describe('recording', () => {
    it('makes one chain of a process, each entry with the hash of the one before', async () => {
      await Promise.all(Array.from({ length: 300 }, () => hub.log.record(entryOf())));
      await hub.record(2);
      const events = await all();
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(new Set(events.map(({ chain }) => chain)).size).toBe(1);
      expect(events.every((event) => hashOfEvent(event) === event.hash)).toBe(true);
      expect(events.slice(1).map(({ previousHash }) => previousHash)).toEqual(
        events.slice(0, -1).map(({ hash }) => hash),
      );
      expect(events[0]!.previousHash).toBe('');
    });

    it('gives each process a chain of its own', async () => {
      const other = new AuditProcess(database, clock);
      await Promise.all([hub.record(20), other.record(20)]);
      const chains = new Set((await all()).map(({ chain }) => chain));
      expect(chains.size).toBe(2);
      expect(await hub.verify()).toMatchObject({ valid: true, chains: 2, entries: 40 });
    });

    it('gives back what it was told', async () => {
      const actor = {
        ...{ principal: 'p', organization: 'o', onBehalfOf: 'b' },
        ...{ issuer: 'https://issuer.example', credential: 'k1' },
      };
      const details = { reason: 'CONFLICT', status: 409, attempt: 'x' };
      const id = await hub.log.record(entryOf({ actor, policy: 'policy-1', details }));
      const [event] = await all();
      expect(event).toMatchObject({ id, ...actor, policy: 'policy-1', details, requestId: 'r1' });
      expect(event!.at).toEqual(clock.now());
    });

    it('leaves out what is not wanted before it is hashed, and finds principals by their ids', async () => {
      const redact = { address: 'omit', principals: 'digest', resourceIds: ['keys'] } as const;
      const other = new AuditProcess(database, clock, configWith({ audit: { redact } }));
      const actor = { ...entryOf().actor, principal: 'alice', onBehalfOf: 'bob' };
      const details = { address: '192.0.2.7' };
      await other.log.record(entryOf({ actor, resource: { type: 'keys', id: 'k1' }, details }));
      await other.log.record(
        entryOf({ actor, resource: { type: 'principals', id: 'alice' }, details: {} }),
      );
      const events = await all();
      expect(JSON.stringify(events)).not.toMatch(/alice|bob|192\.0\.2\.7|"k1"/);
      expect(events.map(({ details: kept }) => kept)).toEqual([{}, {}]);
      expect(events[0]!.resourceId).toBeNull();
      expect(events[1]!.resourceId).toBe(events[0]!.principal);
      expect(await other.verify()).toMatchObject({ valid: true, entries: 2 });
      const found = async (filter: AuditFilter): Promise<number> =>
        (await other.reader.list(filter, 10)).items.length;
      expect(await found({ principal: 'alice' })).toBe(2);
      expect(await found({ principal: events[0]!.principal!, onBehalfOf: 'bob' })).toBe(2);
      expect(await found({ resourceType: 'principals', resourceId: 'alice' })).toBe(1);
      expect(await found({ principal: 'bob' })).toBe(0);
    });

    it('keeps no credential that somebody has put where an id belongs', async () => {
      const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';
      await hub.log.record(
        entryOf({ resource: { type: 'keys', id: jwt }, details: { reason: `Bearer ${jwt}` } }),
      );
      expect((await all())[0]).toMatchObject({
        resourceId: '***',
        details: { reason: 'Bearer ***' },
      });
    });

    it('keeps no member of details that is not listed, and texts in bounds', async () => {
      const details = { reason: 'x'.repeat(5000), apiKey: 'hub_secret', message: 'hello' };
      const hostile = 'a\u0000\ud800\n\u202e'.padEnd(1000, 'b');
      await hub.log.record(
        entryOf({
          details,
          requestId: hostile,
          resource: { type: 'agents', id: hostile },
        }),
      );
      const [event] = await all();
      expect(Object.keys(event!.details)).toEqual(['reason']);
      expect(event!.details.reason).toHaveLength(200);
      expect(event!.resourceId).toBe('a????'.padEnd(200, 'b'));
      expect(await hub.verify()).toMatchObject({ valid: true });
    });

    it('stores entries with the rows they follow from, or neither', async () => {
      const boom = hub.log.recordFrom(function* (tx) {
        yield* tx.run("INSERT INTO hub_settings (key, value) VALUES ('position', '1')");
        throw new Error('boom');
      });
      await expect(boom).rejects.toThrow('boom');
      const written = await hub.log.recordFrom(function* (tx) {
        yield* tx.run("INSERT INTO hub_settings (key, value) VALUES ('position', '2')");
        return [entryOf(), entryOf()];
      });
      expect(written).toBe(2);
      const [row] = await database.read<{ value: string }>(
        "SELECT value FROM hub_settings WHERE key = 'position'",
      );
      expect(row!.value).toBe('2');
      expect(await all()).toHaveLength(2);
    });

    it('goes on after an entry that could not be stored', async () => {
      await hub.record(1);
      const boom = hub.log.recordFrom(() => {
        throw new Error('boom');
      });
      const [failed, stored] = await Promise.allSettled([boom, hub.log.record(entryOf())]);
      expect([failed.status, stored.status]).toEqual(['rejected', 'fulfilled']);
      expect(await hub.verify()).toMatchObject({ valid: true, entries: 2 });
    });

    it('finds its place again after a commit whose answer was lost', async () => {
      await hub.record(2);
      const write = database.write.bind(database);
      let lost = 0;
      database.write = async (work, durability) => {
        const result = await write(work, durability);
        if (lost++ === 0) throw new Error('Connection terminated unexpectedly');
        return result;
      };
      await expect(hub.log.record(entryOf())).rejects.toThrow('Connection terminated');
      await hub.record(1);
      database.write = write;
      expect(await hub.verify()).toMatchObject({ valid: true, entries: 4 });
    });
  });

  describe('lists', () => {
    it('are newest first, page by page, of what fits', async () => {
      for (let i = 0; i < 12; i++) {
        await hub.record(1, { action: i % 3 === 0 ? 'keys.create' : 'agents.update' });
        if (i % 2 === 1) await clock.advance(1000);
      }
      const ids = (await all()).map(({ id }) => id).reverse();
      const first = await hub.reader.list({}, 5);
      const second = await hub.reader.list({}, 5, first.nextCursor!);
      const third = await hub.reader.list({}, 5, second.nextCursor!);
      const pages = [first, second, third].flatMap(({ items }) => items.map(({ id }) => id));
      expect(pages).toEqual(ids);
      expect(third.nextCursor).toBeNull();
      const keys = await hub.reader.list({ action: 'keys.create' }, 50);
      expect(keys.items).toHaveLength(4);
      expect(keys.nextCursor).toBeNull();
    });

    it('filter by time, actor, organization, resource, outcome and request', async () => {
      const actor = entryOf().actor;
      await hub.record(1, { actor: { ...actor, principal: 'p2', organization: 'beta' } });
      await hub.record(1, { resource: { type: 'keys', id: 'k' }, outcome: 'failed' });
      await clock.advance(60_000);
      const from = clock.now();
      await hub.record(1, { requestId: 'r2' });
      const count = async (filter: Parameters<typeof hub.reader.list>[0]): Promise<number> =>
        (await hub.reader.list(filter, 50)).items.length;
      expect(await count({ from })).toBe(1);
      expect(await count({ to: from })).toBe(2);
      expect(await count({ principal: 'p2' })).toBe(1);
      expect(await count({ principal: 'p2', organization: 'acme' })).toBe(0);
      expect(await count({ organization: 'beta' })).toBe(1);
      expect(await count({ resourceType: 'keys' })).toBe(1);
      expect(await count({ resourceId: 'k', outcome: 'failed' })).toBe(1);
      expect(await count({ requestId: 'r2' })).toBe(1);
      expect(await count({ action: "x' OR '1'='1" })).toBe(0);
      expect(await count({ principal: 'p\u0000\ud800' })).toBe(0);
    });

    it('go on past entries that somebody has made unreadable', async () => {
      await hub.record(4);
      const change = (column: string, value: string | number, seq: number): Promise<number> =>
        hub.tamper(`UPDATE audit_events SET ${column} = ? WHERE seq = ?`, [value, seq]);
      await change('details', '{"by":', 2);
      await change('id', "x.y'\u{1F511}", 3);
      await change('at', 9e15, 4);
      const paged: AuditEvent[] = [];
      for (let cursor: string | undefined, pages = 0; pages < 5; pages++) {
        const page = await hub.reader.list({}, 1, cursor);
        paged.push(...page.items);
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(paged.map(({ seq }) => seq).sort()).toEqual([1, 2, 3]);
      const details = paged.find(({ seq }) => seq === 2)!.details;
      expect(details.reason).toContain('Verify the audit log');
      expect((await all()).map(({ seq }) => seq).sort()).toEqual([1, 2, 3]);
      expect(await hub.verify()).toMatchObject({
        valid: false,
        broken: [{ what: 'entry-changed', seq: 2 }],
      });
    });

    it('refuse a cursor of another list', async () => {
      const other = Buffer.from('keys:0199').toString('base64url');
      await expect(hub.reader.list({}, 5, other)).rejects.toMatchObject({
        reason: 'INVALID_PARAMS',
      });
    });

    it('end a page early when hardly anything fits', async () => {
      const rare = async (): Promise<void> => hub.record(1, { requestId: 'rare' });
      await rare();
      await hub.recordAtOnce(900);
      const pageAfter = (cursor?: string): Promise<Page<AuditEvent>> =>
        hub.reader.list({ requestId: 'rare' }, 5, cursor, 600);
      const first = await pageAfter();
      expect(first.items).toEqual([]);
      const second = await pageAfter(first.nextCursor!);
      expect(second.items).toHaveLength(1);
      expect(second.nextCursor).toBeNull();
    });
  });
}
