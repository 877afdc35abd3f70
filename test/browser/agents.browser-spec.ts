import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;
let own: ConsoleBrowser;
/** What the card of the agent says at the moment. */
const served: JsonObject = { name: 'Scripted' };

beforeAll(async () => {
  [hub, agent] = await Promise.all([startHub(), ScriptedAgent.start({ card: served })]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  own = await ConsoleBrowser.open(hub.url);
  await own.signIn('agents');
});

afterAll(async () => {
  await own?.close();
  await Promise.all([hub?.close(), agent?.close()]);
});

describe('the card of an agent', () => {
  it('says what changed last, also when the page is opened later', async () => {
    await own.goTo('agents/scripted?tab=card', 'Scripted');
    const changes = own.page.locator('section', {
      has: own.page.getByRole('heading', { name: 'What changed last' }),
    });
    await changes.getByText(/^Nothing since the agent was registered/).waitFor();
    served['version'] = '7.1.0';
    await hub.admin('POST', '/api/v1/agents/scripted:refresh');
    await own.goTo('agents', 'Agents');
    await own.goTo('agents/scripted?tab=card', 'Scripted');
    await changes.getByText('version', { exact: true }).waitFor();
    await changes.getByText('7.1.0').waitFor();
    await changes.getByText(/^This card took the place/).waitFor();
    expect(await own.axe()).toEqual([]);
    expect(own.faults).toEqual([]);
  });
});
