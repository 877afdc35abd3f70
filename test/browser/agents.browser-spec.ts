import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivityRecorder } from '../../src/observability/activity/activity-recorder.js';
import { type Hub, startHub } from '../support/app.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
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

describe('what is said of an agent', () => {
  it('is that its calls fail, not that it is healthy, and how many did', async () => {
    const { page } = own;
    await page.route(/\/api\/v1\/agents(\/scripted)?(\?.*)?$/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as Json;
      for (const each of body.items ?? [body]) {
        each.health.verdict = 'failing';
        each.trouble = 'Half or more of its last calls failed.';
        each.lastHour = { calls: 4, errors: 3, completed: 0, failed: 0 };
      }
      await route.fulfill({ response: answer, json: body });
    });
    try {
      await own.goTo('agents', 'Agents');
      const table = page.getByRole('region', { name: 'Agents' });
      await table.getByText('failing calls', { exact: true }).waitFor();
      await table.getByText('3 of 4 calls failed, 1 h').waitFor();
      await own.goTo('agents/scripted', 'Scripted');
      await page.getByText('failing calls', { exact: true }).waitFor();
    } finally {
      await page.unroute(/\/api\/v1\/agents(\/scripted)?(\?.*)?$/);
    }
  });

  it('is whom it is for, with who may call it, and that one that is disabled is', async () => {
    const { page } = own;
    await own.goTo('agents/scripted', 'Scripted');
    await page.getByText('everybody, unless a policy says otherwise').waitFor();
    await hub.admin('PATCH', '/api/v1/agents/scripted', { enabled: false });
    try {
      await page.getByText(/gets no new work, whoever may call it\. Enable it above/).waitFor();
    } finally {
      await hub.admin('PATCH', '/api/v1/agents/scripted', { enabled: true });
    }
    await page.getByRole('link', { name: 'who may call it' }).click();
    await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('agent')).toBe('scripted');
  });
});

describe('the list of agents', () => {
  it('tells calls and errors of the last hour', async () => {
    await hub.send('hello', { message: { metadata: { agentId: 'scripted' } } });
    await hub.app.get(ActivityRecorder).flush();
    const { body } = await hub.admin('GET', '/api/v1/agents');
    const { calls } = body.items[0].lastHour;
    expect(calls).toBeGreaterThan(0);
    await own.goTo('agents', 'Agents');
    const table = own.page.getByRole('region', { name: 'Agents' });
    await table.getByText('Calls, 1 h').waitFor();
    await table.getByText('Errors, 1 h').waitFor();
    await table.getByText(String(calls), { exact: true }).first().waitFor();
    expect(await own.axe()).toEqual([]);
    expect(own.faults).toEqual([]);
  });

  it('are those of a health that one chooses, wherever they are in the list', async () => {
    const { page } = own;
    const questions: string[] = [];
    page.on('request', (request) => questions.push(request.url()));
    await own.goTo('agents?health=down', 'Agents');
    await page.getByText('No agent is like that').waitFor();
    const { state } = (await hub.admin('GET', '/api/v1/agents/scripted')).body.health;
    await page.getByLabel('Health', { exact: true }).selectOption(state);
    await page
      .getByRole('region', { name: 'Agents' })
      .getByRole('link', { name: 'Scripted' })
      .waitFor();
    expect(questions.some((url) => /agents\?.*health=down/.test(url))).toBe(true);
    expect(own.faults).toEqual([]);
  });

  it('shows in its health over time when it failed its calls', async () => {
    const broken = await ScriptedAgent.start({
      name: 'Broken',
      handlers: { '*': (call) => call.send(500, 'broken') },
    });
    try {
      await hub.registerAgent(broken.url, { id: 'broken' });
      const { id } = await hub.submit('hello', { message: { metadata: { agentId: 'broken' } } });
      await hub.waitForTask(String(id), 'TASK_STATE_FAILED');
      await hub.app.get(ActivityRecorder).flush();
      await own.goTo('agents/broken', 'Broken');
      await own.page
        .getByRole('img', {
          name: /^Health over time: .*half or more of its calls failed in [12] of/,
        })
        .waitFor();
      expect(own.faults).toEqual([]);
    } finally {
      await hub.admin('DELETE', '/api/v1/agents/broken');
      await broken.close();
    }
  });

  it('leads from the work that an agent failed to what it did', async () => {
    const failing = await ScriptedAgent.start({
      streaming: false,
      handlers: {
        SendMessage: (call) =>
          call.result({
            task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_FAILED' } },
          }),
      },
    });
    try {
      await hub.registerAgent(failing.url, { id: 'failing' });
      const { id } = await hub.submit('hello', { message: { metadata: { agentId: 'failing' } } });
      await hub.waitForTask(String(id), 'TASK_STATE_FAILED');
      await hub.app.get(ActivityRecorder).flush();
      await own.goTo('agents', 'Agents');
      const table = own.page.getByRole('region', { name: 'Agents' });
      await table.getByText('Failed work, 1 h').waitFor();
      await table.getByRole('link', { name: /^1 of 1 tasks, or parts of one, failed/ }).click();
      await own.page.getByRole('tab', { name: 'Activity', selected: true }).waitFor();
      const newest = own.page.getByRole('region', { name: 'Newest tasks of the agent' });
      await newest.locator(`a[href="/console/tasks/${String(id)}"]`).waitFor();
      expect(own.faults).toEqual([]);
    } finally {
      await hub.admin('DELETE', '/api/v1/agents/failing');
      await failing.close();
    }
  });
});

describe('charts', () => {
  it('have the colours of the theme, also when the system or a person changes it', async () => {
    const { page } = own;
    await own.goTo('agents/scripted', 'Scripted');
    const marker = page.locator('.u-legend .u-series .u-marker').nth(1);
    const colours = () => marker.getAttribute('style');
    await marker.waitFor();
    const light = await colours();
    expect(light).toMatch(/#|rgb/);
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(async () => expect(await colours()).not.toBe(light));
    await page.getByRole('button', { name: 'Use the light colours' }).click();
    await eventually(async () => expect(await colours()).toBe(light));
    expect(own.faults).toEqual([]);
  });
});
