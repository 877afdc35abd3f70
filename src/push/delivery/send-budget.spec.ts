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

  it('let no more wait that have been made than may be sent', async () => {
    const bodies = new SendBudget({ ...RULES, patienceMs: 60_000 });
    const ends = [await sending(bodies, 'a', 8), await sending(bodies, 'a', 4)];
    const waiting = [
      sending(bodies, 'b', 6, 'reserveMade'),
      sending(bodies, 'b', 2, 'reserveMade'),
    ];
    await expect(sending(bodies, 'b', 1, 'reserveMade')).rejects.toThrow(OverBudgetError);
    for (const end of ends) await end();
    for (const each of waiting) await (await each)();
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
