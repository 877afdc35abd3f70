import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/common/scope.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TestIssuer } from '../support/test-issuer.js';
import { WebhookSink } from '../support/webhook-sink.js';

const PATH = '/health/details';
const NAMES = [
  ...['database', 'clock', 'disk', 'workers', 'tasks', 'egress', 'issuers', 'agents', 'receivers'],
];

async function details(hub: Hub): Promise<{ status: string; checks: Record<string, Json> }> {
  const { status, body } = await hub.admin('GET', PATH);
  expect([status, body.checks.map((each: Json) => each['name'])]).toEqual([200, NAMES]);
  const checks = body.checks.map((each: Json) => [each['name'], each]);
  return { status: body.status, checks: Object.fromEntries(checks) };
}

describe('a hub that is well', () => {
  let hub: Hub;
  let agent: ScriptedAgent;

  beforeAll(async () => {
    agent = await ScriptedAgent.start();
    hub = await startHub();
  });
  afterAll(async () => {
    await hub?.close();
    await agent?.close();
  });

  it('says so of each check, and what is missing to do anything', async () => {
    const empty = await details(hub);
    expect(empty.status).toBe('warning');
    expect(empty.checks['agents']).toMatchObject({
      state: 'warning',
      summary: 'No agent is registered and enabled: every message is refused.',
      advice: expect.stringContaining('POST /api/v1/agents'),
    });
    await hub.registerAgent(agent.url, { id: 'fine' });
    const { status, checks } = await details(hub);
    expect(status).toBe('ok');
    for (const name of NAMES) {
      expect(checks[name]).toMatchObject({ name, state: 'ok', advice: null, troubles: [] });
    }
    expect(checks['agents']!['summary']).toBe('1 agent; none in trouble, as this process sees it.');
  });

  it('shows them to admin alone', async () => {
    for (const scope of SCOPES) {
      const key = await hub.createKey({ scopes: [scope] });
      const { status } = await hub.get(PATH, { key });
      expect([scope, status]).toEqual([scope, scope === 'admin' ? 200 : 403]);
    }
    expect((await hub.get(PATH, { key: null })).status).toBe(401);
  });
});

describe('a hub in trouble', () => {
  it('names what it is and what to do, and no check hides another', async () => {
    const [agent, issuer, gone] = [
      await ScriptedAgent.start({ handlers: { '*': (call) => call.send(500, 'broken') } }),
      await TestIssuer.start(),
      await TestIssuer.start(),
    ];
    const sink = await WebhookSink.start();
    sink.answer = 500;
    await gone.close();
    const issuers = [
      { id: 'there', issuer: issuer.url, organization: 'acme' },
      { id: 'gone', issuer: gone.url, organization: 'acme' },
    ];
    const health = { probeIntervalMs: 0, openMinMs: 60_000, openMaxMs: 60_000, failureRate: 1 };
    const hub = await startHub({
      config: { auth: { issuers }, agents: { health }, role: 'all' },
    });
    try {
      await hub.registerAgent(agent.url, { id: 'frail' });
      const url = sink.url('/hook');
      const message = { metadata: { agentId: 'frail' } };
      const configuration = {
        returnImmediately: true,
        taskPushNotificationConfig: { url },
      };
      for (let n = 0; n < 6; n++) await hub.send(`hi ${n}`, { message, configuration });
      const { status, checks } = await eventually(async () => {
        const found = await details(hub);
        expect(found.checks['receivers']!['state']).toBe('warning');
        expect(found.checks['agents']!['state']).toBe('failing');
        return found;
      }, 20_000);
      expect(status).toBe('failing');
      expect(checks['agents']).toMatchObject({
        summary: '1 agent; 1 in trouble, as this process sees it.',
        troubles: [{ id: 'frail', why: expect.stringMatching(/^It is down: .+500.+\.$/) }],
      });
      expect(checks['issuers']).toMatchObject({
        state: 'warning',
        summary: '2 issuers of access tokens; 1 cannot be reached.',
        troubles: [{ id: 'gone', why: expect.any(String) }],
      });
      expect(checks['receivers']!['troubles']).toEqual([
        {
          id: `tests ${new URL(url).origin}`,
          why: expect.stringMatching(
            /^It is failing \(HTTP 500\); webhooks that wait for it: \d+\.$/,
          ),
        },
      ]);
      expect(checks['database']!['state']).toBe('ok');
    } finally {
      await hub.close();
      await Promise.all([agent, issuer, sink].map((each) => each.close()));
    }
  }, 60_000);

  it('tells that its proxy does not answer, without its credentials', async () => {
    const proxy = 'http://user:a-password@127.0.0.1:1';
    const hub = await startHub({ config: { egress: { proxy } } });
    try {
      const { status, checks } = await details(hub);
      expect(status).toBe('failing');
      expect(checks['egress']).toMatchObject({
        state: 'failing',
        summary: 'The egress proxy cannot be used: no answer of the egress proxy.',
      });
      expect(JSON.stringify(checks)).not.toContain('a-password');
    } finally {
      await hub.close();
    }
  });
});
