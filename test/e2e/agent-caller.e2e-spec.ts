import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { SigningService } from '../../src/signing/index.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TestIssuer } from '../support/test-issuer.js';

let hub: Hub;
let issuer: TestIssuer;
let agent: ScriptedAgent;
const started: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  issuer = await TestIssuer.start();
  const issuers = [{ id: 'test', issuer: issuer.url, organization: 'acme' }];
  hub = await startHub({ config: { auth: { issuers } } });
  agent = await ScriptedAgent.start({ streaming: false });
  started.push(hub, agent, issuer);
  await hub.registerAgent(agent.url, { id: 'told', switches: { caller: 'signed' } });
  await hub.registerAgent(agent.url, { id: 'plain' });
});

afterAll(() => Promise.all(started.map((each) => each.close())));

const to = (agentId: string) => ({ message: { metadata: { agentId } } });

/** What a token says, verified as an agent does: by the keys that the hub publishes. */
async function verified(token: unknown, audience: string) {
  expect(decodeProtectedHeader(String(token)).typ).toBe('a2a-hub-caller+jwt');
  const keys = createRemoteJWKSet(new URL(`${hub.url}/.well-known/jwks.json`));
  const options = { issuer: hub.url, audience, typ: 'a2a-hub-caller+jwt' };
  return (await jwtVerify(String(token), keys, options)).payload;
}

describe('an agent that wants to know on whose behalf it is called', () => {
  it('gets a token of the hub with every call for the task', async () => {
    const key = await issuer.token({ aud: hub.url, sub: 'alice' });
    const task = (await hub.send('go', to('told'), { key }))['task'] as Record<string, unknown>;
    const methods = new Set(agent.calls.map(({ method }) => method));
    expect([...methods]).toEqual(expect.arrayContaining(['SendMessage', 'GetTask']));
    const listed = await hub.admin('GET', '/api/v1/principals?subject=alice');
    const [principal] = listed.body.items as { id: string }[];
    const ids = new Set<unknown>();
    for (const { headers } of agent.calls) {
      const claims = await verified(headers['a2a-hub-caller'], agent.url);
      expect(claims).toMatchObject({
        sub: principal!.id,
        sub_id: { format: 'iss_sub', iss: issuer.url, sub: 'alice' },
        organization: 'acme',
        taskId: task['id'],
        contextId: task['contextId'],
        act: { sub: expect.any(String) },
      });
      expect(claims.exp! - claims.iat!).toBe(300);
      ids.add(claims.jti);
    }
    expect(ids.size).toBe(agent.calls.length);
  });

  it('learns who acts for it, which the audit log notes', async () => {
    agent.calls.splice(0);
    const act = { sub: 'assistant', act: { iss: 'https://x.example', sub: 'gateway' } };
    const key = await issuer.token({ aud: hub.url, sub: 'zoe', act });
    const { task } = (await hub.send('go', to('told'), { key })) as { task: { id: string } };
    const claims = await verified(agent.calls[0]!.headers['a2a-hub-caller'], agent.url);
    expect(claims['act']).toEqual({
      sub: expect.any(String),
      act: { iss: issuer.url, sub: 'assistant', act: { iss: 'https://x.example', sub: 'gateway' } },
    });
    const { sub } = claims;
    await eventually(async () => {
      const { body, text } = await hub.admin('GET', `/api/v1/audit?resourceId=${task.id}`);
      expect(body.items).toMatchObject([{ principal: sub, onBehalfOf: sub }]);
      expect(text).not.toMatch(/assistant|gateway|zoe/);
    }, 5000);
  });

  it('knows a principal with keys by its id alone', async () => {
    agent.calls.splice(0);
    await hub.send('go', to('told'));
    const claims = await verified(agent.calls[0]!.headers['a2a-hub-caller'], agent.url);
    expect(claims).toMatchObject({ sub: expect.any(String), organization: 'tests' });
    expect(claims['sub_id']).toBeUndefined();
  });

  it('is not called while it cannot be signed who calls, which says nothing of its health', async () => {
    agent.calls.splice(0);
    const health = async () => (await hub.admin('GET', '/api/v1/agents/told')).body.health;
    const before = await health();
    const signing = hub.app.get(SigningService);
    const broken = jest
      .spyOn(signing, 'signer')
      .mockRejectedValue(new Error('no key to sign with'));
    // More than would take an agent out of service that failed them.
    for (let count = 0; count < 12; count++) {
      const { task } = (await hub.send('go', to('told'))) as { task: Json };
      expect(task.status.state).toBe('TASK_STATE_FAILED');
    }
    expect(broken.mock.calls.length).toBeGreaterThanOrEqual(12);
    broken.mockRestore();
    expect(agent.calls).toEqual([]);
    expect(await health()).toEqual(before);
    const { task } = (await hub.send('go', to('told'))) as { task: Json };
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is the only one that gets it', async () => {
    agent.calls.splice(0);
    await hub.send('go', to('plain'), { headers: { 'a2a-hub-caller': 'forged' } });
    expect(agent.calls.map(({ headers }) => headers['a2a-hub-caller'])).not.toContain('forged');
    expect(agent.calls[0]!.headers['a2a-hub-caller']).toBeUndefined();
  });

  it('is told nothing that the client has written itself', async () => {
    agent.calls.splice(0);
    await hub.send('go', to('told'), { headers: { 'a2a-hub-caller': 'forged' } });
    const token = agent.calls[0]!.headers['a2a-hub-caller'];
    expect(await verified(token, agent.url)).toBeDefined();
  });
});
