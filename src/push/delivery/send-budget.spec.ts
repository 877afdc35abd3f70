import { describe, expect, it } from '@jest/globals';
import { type BodyReservation, SendBudget } from './send-budget.js';
import { OverBudgetError } from '../../common/byte-budget.js';

const MIB = 1024 * 1024;
const RULES = { limit: 8 * MIB, share: 4 * MIB, patienceMs: 30 };

/** Takes room, and holds it until `end` is called. */
async function sending(
  bodies: SendBudget,
  organization: string,
  mib: number,
  how: keyof BodyReservation = 'reserve',
): Promise<() => Promise<void>> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return new Promise((resolve, reject) => {
    const work = bodies.during(organization, async (reservation) => {
      await reservation[how](mib * MIB);
      resolve(() => (end(), work));
      await ended;
    });
    work.catch(reject);
  });
}

/** Three organizations hold all that there is, one of them beyond. */
async function usingAll(bodies: SendBudget): Promise<(() => Promise<void>)[]> {
  const ends: (() => Promise<void>)[] = [];
  for (const each of ['a', 'b', 'c']) ends.push(await sending(bodies, each, 4));
  return ends;
}

describe('bodies for webhook bodies', () => {
  it('are held until the work has ended, and those wait for whom there is none', async () => {
    const bodies = new SendBudget(RULES);
    const ends = [
      await sending(bodies, 'a', 4),
      await sending(bodies, 'b', 4),
      // One goes beyond.
      await sending(bodies, 'c', 2),
    ];
    await expect(sending(bodies, 'c', 2)).rejects.toThrow(OverBudgetError);
    const next = sending(bodies, 'c', 2);
    await ends[0]!();
    ends.push(await next);
    for (const end of ends) await end();
    expect(bodies.held).toBe(0);
  });

  it('leave one organization half of them', async () => {
    const bodies = new SendBudget(RULES);
    const first = await sending(bodies, 'a', 4);
    const beyond = await sending(bodies, 'a', 2);
    await expect(sending(bodies, 'a', 2)).rejects.toThrow(OverBudgetError);
    const other = await sending(bodies, 'b', 4);
    await Promise.all([first(), beyond(), other()]);
    expect(bodies.held).toBe(0);
  });

  it('let no more wait of an organization that have been made than it may hold', async () => {
    const bodies = new SendBudget({ ...RULES, patienceMs: 60_000 });
    const ends = await usingAll(bodies);
    const waiting = [
      sending(bodies, 'b', 3, 'reserveMade'),
      sending(bodies, 'b', 1, 'reserveMade'),
    ];
    await expect(sending(bodies, 'b', 1, 'reserveMade')).rejects.toThrow(OverBudgetError);
    for (const end of ends) await end();
    for (const each of waiting) await (await each)();
    expect(bodies.held).toBe(0);
  });

  it('are held at once where there is room, however many of another organization wait', async () => {
    const bodies = new SendBudget({ ...RULES, patienceMs: 60_000 });
    const ends = [await sending(bodies, 'a', 4), await sending(bodies, 'a', 4)];
    const waiting = Promise.allSettled(
      Array.from({ length: 4 }, () => sending(bodies, 'a', 2, 'reserveMade')),
    );
    const other = await sending(bodies, 'b', 2, 'reserveMade');
    await other();
    for (const end of ends) await end();
    const ended = await waiting;
    expect(ended.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    for (const each of ended) if (each.status === 'fulfilled') await each.value();
    expect(bodies.held).toBe(0);
  });

  it('wait in place of those of the organization that has most waiting', async () => {
    const bodies = new SendBudget({ ...RULES, patienceMs: 60_000 });
    const ends = await usingAll(bodies);
    const made = (organization: string, mib: number): ReturnType<typeof sending> =>
      sending(bodies, organization, mib, 'reserveMade');
    const waiting = [made('a', 3), made('b', 2), made('d', 1)];
    const newest = made('b', 2);
    const wanted = made('d', 1);
    await expect(newest).rejects.toThrow(OverBudgetError);
    for (const end of ends) await end();
    for (const each of [...waiting, wanted]) await (await each)();
    expect(bodies.held).toBe(0);
  });

  it('wait beside one that is larger than all may have, and small ones do not wait', async () => {
    const bodies = new SendBudget({ ...RULES, patienceMs: 60_000 });
    const ends = await usingAll(bodies);
    const large = sending(bodies, 'd', 16, 'reserveMade');
    const other = sending(bodies, 'e', 3, 'reserveMade');
    for (const mib of [0, 100 / MIB]) await (await sending(bodies, 'f', mib, 'reserveMade'))();
    const [, ofB, beyond] = ends;
    await ofB!();
    await (
      await other
    )();
    await beyond!();
    await (
      await large
    )();
    await ends[0]!();
    expect(bodies.held).toBe(0);
  });

  it('cost small bodies nothing', async () => {
    const bodies = new SendBudget(RULES);
    const ends = [await sending(bodies, 'a', 8), await sending(bodies, 'a', 4)];
    const small = await Promise.all(
      Array.from({ length: 100 }, () => sending(bodies, 'a', 1 / 32, 'reserveMade')),
    );
    for (const end of [...ends, ...small]) await end();
  });
});
