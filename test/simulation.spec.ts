import { describe, expect, it } from '@jest/globals';
import { empty, withFactory } from './support/databases.js';
import { simulate } from './support/simulation/simulation.js';
import { complaintsAbout } from './support/simulation/verdict.js';

/** `SIM_SEEDS=20000` plays more, `SIM_FROM=17 SIM_SEEDS=1` one of them again. */
const SEEDS = Number(process.env['SIM_SEEDS'] ?? 200);
const FROM = Number(process.env['SIM_FROM'] ?? 1);
const MS_PER_SEED = 2000;

describe('tasks of a hub that is killed at any moment', () => {
  withFactory('sqlite', (databases) => {
    it(
      'are what the agents made of them',
      async () => {
        const database = await databases.openEmptied();
        const failed: string[] = [];
        const states = new Map<string, number>();
        let kills = 0;
        let points = 0;
        for (let seed = FROM; seed < FROM + SEEDS && failed.length < 5; seed++) {
          await empty(database);
          const outcome = await simulate(seed, database);
          const complaints = await complaintsAbout(outcome);
          outcome.close();
          kills += outcome.killed;
          points += outcome.killed;
          for (const { ended } of outcome.clients) {
            const state = String(ended?.status?.state);
            states.set(state, (states.get(state) ?? 0) + 1);
          }
          if (complaints.length > 0) {
            failed.push(
              [`SIM_FROM=${seed} SIM_SEEDS=1`, ...complaints, ...outcome.trace].join('\n'),
            );
          }
        }
        console.log({ kills, states: [...states] });
        expect(failed.join('\n\n')).toBe('');
      },
      30_000 + SEEDS * MS_PER_SEED,
    );
  });
});
