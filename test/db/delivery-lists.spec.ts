import { describe, expect, it, jest } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import type { SqlValue } from '../../src/database/sql.js';
import type { DeliveryFilter } from '../../src/push/records/delivery-store.js';
import { withFactory } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';

const SMALL: Visibility = { kind: 'organization', organization: 'small' };
const ALICE: Visibility = { kind: 'principal', principalId: 'alice', organization: 'small' };

/** Reads of SQLite hold the event loop: no list may walk over what is not asked for. */
describe('lists of deliveries (SQLite)', () => {
  withFactory('sqlite', (databases) => {
    /** How the database finds what is listed. */
    function plan(filter: DeliveryFilter, visibility: Visibility): Promise<string> {
      return planOf(({ deliveries }) => deliveries.list(filter, visibility, 10, null));
    }

    const lists: readonly (readonly [string, DeliveryFilter, Visibility, string])[] = [
      ['everything of an organization', {}, SMALL, 'push_deliveries_organization'],
      ['a principal', {}, ALICE, 'push_deliveries_principal'],
      ['what an organization got', { state: 'delivered' }, SMALL, 'push_deliveries_organization'],
      ['dead letters of an organization', { state: 'dead' }, SMALL, 'push_deliveries_open'],
      ['what an organization waits for', { state: 'retrying' }, SMALL, 'push_deliveries_open'],
      ['since a time', { since: new Date(5) }, SMALL, 'push_deliveries_organization'],
      ['of one task', { taskId: 't' }, SMALL, 'push_deliveries_task'],
      ['of one task, dead', { taskId: 't', state: 'dead' }, ALICE, 'push_deliveries_task'],
      ['one state of all', { state: 'pending' }, EVERYTHING, 'push_deliveries_state'],
      [
        'dead letters of an endpoint',
        { endpoint: 'e', state: 'dead' },
        SMALL,
        'push_deliveries_dead',
      ],
      ["of a webhook, by the client's id", { configId: 'c' }, SMALL, 'push_deliveries_config'],
      [
        'an organization, by an operator',
        { organization: 'o' },
        EVERYTHING,
        'push_deliveries_organization',
      ],
    ];

    it.each(lists)('look up %s by an index', async (_, filter, visibility, index) => {
      const steps = await plan(filter, visibility);
      expect(steps).toMatch(new RegExp(`^SEARCH push_deliveries USING INDEX ${index} `));
      expect(steps).not.toContain('TEMP B-TREE');
    });

    /** How the database finds what `read` reads. */
    async function planOf(read: (stores: PushStores) => Promise<unknown>): Promise<string> {
      const stores = new PushStores(await databases.openEmptied());
      const spy = jest.spyOn(stores.database, 'read');
      await read(stores);
      const [sql, params] = spy.mock.calls.at(-1) as [string, SqlValue[]];
      const steps = await stores.database.read<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${sql}`,
        params,
      );
      spy.mockRestore();
      return steps.map(({ detail }) => detail).join('; ');
    }

    const losses: readonly (readonly [string, DeliveryFilter, Visibility, string])[] = [
      ['of all', {}, EVERYTHING, 'push_deliveries_lost (state=?)'],
      [
        'of all since a time',
        { since: new Date(5) },
        EVERYTHING,
        'push_deliveries_lost (state=? AND updated_at>?)',
      ],
      [
        'of an organization',
        { since: new Date(5), until: new Date(9) },
        SMALL,
        'push_deliveries_lost_of (organization=? AND state=? AND updated_at>? AND updated_at<?)',
      ],
      ['of a principal', {}, ALICE, 'push_deliveries_lost_of (organization=? AND state=?)'],
      [
        'of a receiver',
        { endpoint: 'e', since: new Date(5) },
        SMALL,
        'push_deliveries_dead (endpoint=? AND state=?)',
      ],
    ];

    it.each(losses)('look up lost events %s by an index', async (_, filter, visibility, index) => {
      const steps = await planOf(({ deliveries }) => deliveries.lost(filter, visibility, 10));
      expect(steps).toContain(`SEARCH push_deliveries USING INDEX ${index}`);
      expect(steps).not.toContain('ORDER BY');
    });

    it.each([
      [null, 'push_deliveries_lost (state=?)'],
      ['small', 'push_deliveries_lost_of (organization=? AND state=?)'],
    ])('count lost events of %s by an index', async (organization, index) => {
      const steps = await planOf(({ deliveries }) => deliveries.backlog(organization, 10));
      expect(steps).toMatch(
        new RegExp(`USING (COVERING )?INDEX ${index.replace(/[()?]/g, String.raw`\$&`)}`),
      );
      expect(steps).not.toContain('ORDER BY');
    });

    it('begin and end at the times that are asked for', async () => {
      const steps = await plan({ since: new Date(5), until: new Date(9e12) }, SMALL);
      expect(steps).toContain('push_deliveries_organization (organization=? AND id>? AND id<?)');
    });

    it('look up a webhook by either of its ids', async () => {
      const steps = await plan({ configId: '01890a5d-ac96-774b-bcce-b302099a8057' }, SMALL);
      expect(steps).toContain('USING INDEX push_deliveries_config ');
      expect(steps).toContain('USING INDEX push_deliveries_shared_stream ');
      expect(steps).not.toContain('SCAN push_deliveries');
    });
  });
});
