import { describe, expect, it } from '@jest/globals';
import { type BodyReservation, BodyBudget } from './body-budget.js';
import { OverBudgetError } from './byte-budget.js';

const MIB = 1024 * 1024;
const RULES = { limit: 8 * MIB, share: 4 * MIB, patienceMs: 30 };

/** Takes room, and holds it until `end` is called. */
async function sending(
  rooms: BodyBudget,
  organization: string,
  mib: number,
  how: keyof BodyReservation = 'take',
): Promise<() => Promise<void>> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return new Promise((resolve, reject) => {
    const work = rooms.during(organization, async (room) => {
      await room[how](mib * MIB);
      resolve(() => (end(), work));
      await ended;
    });
    work.catch(reject);
  });
}

describe('rooms for webhook bodies', () => {
  it('are held until the work has ended, and those wait for whom there is none', async () => {
    const rooms = new BodyBudget(RULES);
    const ends = [
      await sending(rooms, 'a', 4),
      await sending(rooms, 'b', 4),
      // One goes beyond.
      await sending(rooms, 'c', 2),
    ];
    await expect(sending(rooms, 'c', 2)).rejects.toThrow(OverBudgetError);
    const next = sending(rooms, 'c', 2);
    await ends[0]!();
    ends.push(await next);
    for (const end of ends) await end();
    expect(rooms.held).toBe(0);
  });

  it('leave one organization half of them', async () => {
    const rooms = new BodyBudget(RULES);
    const first = await sending(rooms, 'a', 4);
    const beyond = await sending(rooms, 'a', 2);
    await expect(sending(rooms, 'a', 2)).rejects.toThrow(OverBudgetError);
    const other = await sending(rooms, 'b', 4);
    await Promise.all([first(), beyond(), other()]);
    expect(rooms.held).toBe(0);
  });

  it('let no more wait that have been made than may be sent', async () => {
    const rooms = new BodyBudget({ ...RULES, patienceMs: 60_000 });
    const ends = [await sending(rooms, 'a', 8), await sending(rooms, 'a', 4)];
    const waiting = [sending(rooms, 'b', 6, 'keep'), sending(rooms, 'b', 2, 'keep')];
    await expect(sending(rooms, 'b', 1, 'keep')).rejects.toThrow(OverBudgetError);
    for (const end of ends) await end();
    for (const each of waiting) await (await each)();
    expect(rooms.held).toBe(0);
  });

  it('cost small bodies nothing', async () => {
    const rooms = new BodyBudget(RULES);
    const ends = [await sending(rooms, 'a', 8), await sending(rooms, 'a', 4)];
    const small = await Promise.all(
      Array.from({ length: 100 }, () => sending(rooms, 'a', 1 / 32, 'keep')),
    );
    for (const end of [...ends, ...small]) await end();
  });
});
