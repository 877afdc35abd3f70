import { describe, expect, it } from '@jest/globals';
import { TaskState } from '../src/protocol/a2a.js';
import { empty, withFactory } from './support/databases.js';
import { simulate } from './support/simulation/simulation.js';
import { casesOf } from './support/thorough.js';
import { complaintsAbout } from './support/simulation/verdict.js';

/**
 * Each seed is one scenario: its agents, what its clients want, and where in its work the hub is killed.
 * `SIM_SEEDS=20000 npm run jest -- test/simulation.spec` plays more of them, `SIM_FROM=17 SIM_SEEDS=1` one again.
 */
const CHOSEN = process.env['SIM_SEEDS'];
const SEEDS = Number(CHOSEN ?? casesOf(20, 60));
const FROM = Number(process.env['SIM_FROM'] ?? 1);
const MS_PER_SEED = 5000;
const MAX_FAILED = 5;
const TELL_EVERY = 250;

describe('the tasks of a hub that is killed at any moment', () => {
  withFactory('sqlite', (databases) => {
    it(
      `are what their agents made of them (${SEEDS} seeds from ${FROM} on)`,
      async () => {
        const database = await databases.openEmptied();
        const failed: string[] = [];
        const states: Record<string, number> = {};
        let kills = 0;
        for (let seed = FROM; seed < FROM + SEEDS && failed.length < MAX_FAILED; seed++) {
          await empty(database);
          const outcome = await simulate(seed, database);
          const complaints = await complaintsAbout(outcome);
          outcome.close();
          kills += outcome.killed;
          for (const { ended } of outcome.clients) {
            const state = TaskState[ended?.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED];
            states[state] = (states[state] ?? 0) + 1;
          }
          if (complaints.length > 0) {
            const again = `SIM_FROM=${seed} SIM_SEEDS=1`;
            failed.push([again, ...complaints, ...outcome.trace].join('\n'));
            if (CHOSEN !== undefined) process.stdout.write(`${failed.at(-1)}\n`);
          }
          if (CHOSEN !== undefined && (seed - FROM + 1) % TELL_EVERY === 0) {
            const told = { seed, failed: failed.length, kills, ...states };
            process.stdout.write(`${JSON.stringify(told)}\n`);
          }
        }
        expect(failed.join('\n\n')).toBe('');
        expect(CHOSEN !== undefined || kills >= SEEDS).toBe(true);
        expect(CHOSEN !== undefined || states['TASK_STATE_COMPLETED']! >= SEEDS).toBe(true);
      },
      30_000 + SEEDS * MS_PER_SEED,
    );
  });
});
