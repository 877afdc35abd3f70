// What open consoles cost the clients of a hub: sends while so many people look at its pages, beside sends while none does.
// It is one hub all the time; the consoles come and go between the runs.
import { ADMIN_KEY, admin, newKey, startHub } from './hub.mjs';
import { measurePairs, printPairs } from './pairs.mjs';
import { group } from './processes.mjs';
import { print } from './tables.mjs';

const CONSOLES = 100;

export async function benchConsoles(directory, options) {
  const servers = group();
  try {
    const start = (...all) => servers.startNode(...all);
    const agent = await start(['bench/agents/light-agent.mjs']);
    const { url, pid } = await startHub(start, directory, 'consoles.db', options.synchronous);
    await admin(url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
    const headers = await newKey(url);
    const target = { agent: 'light', pid, url: `${url}/a2a`, origin: url, headers };
    const withConsoles = (pages) => async () => {
      const consoles = group();
      const job = JSON.stringify({ hub: url, key: ADMIN_KEY, count: CONSOLES, pages });
      await consoles.startNode(['bench/targets/consoles.mjs', job]);
      return () => consoles.stop();
    };
    const pairs = await measurePairs(
      [
        { name: 'none', ...target },
        { name: 'overview', ...target, beside: withConsoles(['overview']) },
        {
          ...{ name: 'all pages', ...target },
          beside: withConsoles(['overview', 'tasks', 'agents', 'webhooks']),
        },
      ],
      options,
    );
    print(`\nA send while ${CONSOLES} consoles have the overview open, to one while none is`);
    printPairs(pairs, 'none', 'overview');
    print(
      `\nA send while ${CONSOLES} consoles have all pages open, by turns, to one while none is`,
    );
    printPairs(pairs, 'none', 'all pages');
  } finally {
    await servers.stop();
  }
}
