import { beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { SqlReceiverStore } from '../../src/push/receivers/persistence/sql-receiver.store.js';
import type { ReceiverLimits } from '../../src/push/receivers/receiver-store.js';
import { describeDatabases } from '../support/databases.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const LIMITS: ReceiverLimits = {
  mode: 'optional',
  receiver: { requestsPerMinute: 10, bytesPerMinute: 1_000_000 },
  principal: { requestsPerMinute: 25, bytesPerMinute: 1_000_000 },
  receiversPerPrincipal: 2,
};

describeDatabases('what receivers get that have not agreed', (databases) => {
  let database: Database;
  let store: SqlReceiverStore;

  beforeEach(async () => {
    database = await databases.open();
    store = new SqlReceiverStore(database);
  });

  const to = (host: string, principalId = 'alice') => ({ endpoint: `acme ${host}`, principalId });

  it('is exact, however many ask at once', async () => {
    const requested = Array.from({ length: 30 }, () =>
      store.admit(to('a'), 100, LIMITS, NOW, true),
    );
    const admitted = (await Promise.all(requested)).filter((each) => each === 'admitted');
    expect(admitted).toHaveLength(10);
    expect(await store.mayBeSent(to('a'), LIMITS, NOW)).toBe(false);
    expect(await store.mayBeSent(to('a'), LIMITS, new Date(NOW.getTime() + 6000))).toBe(true);
  });

  it('is limited for a principal over all receivers, and by their number', async () => {
    expect(await store.admit(to('a'), 1, LIMITS, NOW, true)).toBe('admitted');
    expect(await store.admit(to('b'), 1, LIMITS, NOW, true)).toBe('admitted');
    const third = await store.admit(to('c'), 1, LIMITS, NOW, true);
    expect(third).toMatchObject({ of: 'principal', needsChallenge: true });
    expect(await store.admit(to('c', 'bob'), 1, LIMITS, NOW, true)).toBe('admitted');
    const later = new Date(NOW.getTime() + 600_001);
    expect(await store.admit(to('c'), 1, LIMITS, later, true)).toBe('admitted');
  });

  it('does not wait for a clock that was set back', async () => {
    const ahead = new Date(NOW.getTime() + 3_600_000);
    for (let n = 0; n < 10; n += 1) await store.admit(to('a'), 1, LIMITS, ahead, true);
    await store.admit(to('b'), 1, LIMITS, ahead, true);
    expect(await store.mayBeSent(to('a'), LIMITS, ahead)).toBe(false);
    expect(await store.mayBeSent(to('a'), LIMITS, NOW)).toBe(true);
    expect(await store.admit(to('c'), 1, LIMITS, NOW, true)).toBe('admitted');
    const reaches = 'SELECT endpoint FROM push_reaches ORDER BY endpoint';
    expect(await database.read(reaches)).toEqual([{ endpoint: 'acme c' }]);
    expect(await store.admit(to('a'), 1, LIMITS, NOW, true)).toBe('admitted');
    expect(await store.admit(to('b'), 1, LIMITS, NOW, true)).toMatchObject({ of: 'principal' });
  });

  it('is everything once it has agreed', async () => {
    await store.verify('acme a', NOW);
    for (let n = 0; n < 40; n += 1) {
      expect(await store.admit(to('a'), 1_000_000, LIMITS, NOW, true)).toBe('verified');
    }
    expect(await store.verifiedAt('acme a')).toEqual(NOW);
    expect(await store.mayBeSent(to('a'), { ...LIMITS, mode: 'required' }, NOW)).toBe(true);
  });

  it('is nothing where it must agree, and it is asked every five minutes', async () => {
    const required = { ...LIMITS, mode: 'required' as const };
    const first = await store.admit(to('a'), 1, required, NOW, true);
    expect(first).toMatchObject({ of: 'receiver', needsChallenge: true });
    expect(await store.admit(to('a'), 1, required, NOW, true)).toMatchObject({
      needsChallenge: false,
    });
    expect(await store.beginChallenge('acme a', 10_000, NOW)).toBe(false);
    // A stop has cut the question.
    await store.takeBackChallenge('acme a', new Date(NOW.getTime() - 1));
    expect(await store.beginChallenge('acme a', 10_000, NOW)).toBe(false);
    await store.takeBackChallenge('acme a', NOW);
    expect(await store.beginChallenge('acme a', 10_000, NOW)).toBe(true);
    const later = new Date(NOW.getTime() + 300_001);
    // Who may not have it asked leaves that to others.
    const refused = await store.admit(to('a'), 1, required, later, false);
    expect(refused).toMatchObject({ of: 'receiver', needsChallenge: false });
    expect(await store.admit(to('a'), 1, required, later, true)).toMatchObject({
      needsChallenge: true,
    });
  });
});
