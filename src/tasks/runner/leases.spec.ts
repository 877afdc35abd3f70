import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { Leases } from './leases.js';

const LEASE_MS = 30_000;

class SlowDatabase {
  isTransient = false;
  answers = Promise.resolve();

  hold(): () => void {
    let answer = (): void => undefined;
    this.answers = new Promise((resolve) => (answer = resolve));
    return () => answer();
  }
}

function leases(): {
  kept: Leases;
  clock: SettableClock;
  renewals: number[];
  database: SlowDatabase;
} {
  const clock = new SettableClock();
  const renewals: number[] = [];
  const database = new SlowDatabase();
  const kept = new Leases({
    owner: 'me',
    clock,
    leaseMs: LEASE_MS,
    owned: () => ['d1'],
    store: {
      renew: async (owner, ids, until) => {
        if (database.isTransient) throw new Error('no database');
        expect([owner, ...ids]).toEqual(['me', 'd1']);
        renewals.push(until.getTime() - clock.now().getTime());
        await database.answers;
        return [...ids];
      },
    },
  });
  return { kept, clock, renewals, database };
}

describe('leases', () => {
  it('are renewed when a third of their time has passed, once for all who ask', async () => {
    const { kept, clock, renewals } = leases();
    await kept.renewIfDue();
    clock.ms += LEASE_MS / 3 - 1;
    await kept.renewIfDue();
    expect(renewals).toEqual([]);
    clock.ms += 1;
    await Promise.all([kept.renewIfDue(), kept.renewIfDue()]);
    expect(renewals).toEqual([LEASE_MS]);
  });

  it('are renewed again for one who asks long after the renewal under way began', async () => {
    const { kept, clock, renewals, database } = leases();
    clock.ms += LEASE_MS;
    const answer = database.hold();
    const first = kept.renewIfDue();
    clock.ms += LEASE_MS;
    const later = kept.renewIfDue();
    answer();
    await Promise.all([first, later]);
    expect(renewals).toEqual([LEASE_MS, LEASE_MS]);
  });

  it('are renewed when the clock was set back, however far', async () => {
    const { kept, clock, renewals } = leases();
    clock.ms -= LEASE_MS / 3;
    await kept.renewIfDue();
    clock.ms -= 100 * LEASE_MS;
    await kept.renewIfDue();
    await kept.renewIfDue();
    expect(renewals).toEqual([LEASE_MS, LEASE_MS]);
  });

  it('that cannot be renewed are not taken for renewed', async () => {
    const { kept, clock, renewals, database } = leases();
    clock.ms += LEASE_MS;
    database.isTransient = true;
    await expect(kept.renewIfDue()).rejects.toThrow('no database');
    database.isTransient = false;
    await kept.renewIfDue();
    expect(renewals).toEqual([LEASE_MS]);
  });
});
