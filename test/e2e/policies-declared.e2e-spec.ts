import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, RpcError, startHub } from '../support/app.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const OPEN = {
  id: 'open',
  text: 'permit(principal in Organization::"acme", action == Action::"SendMessage", resource in Tag::"open");',
  tests: [
    {
      name: 'acme',
      caller: { organization: 'acme' },
      agentId: 'a',
      tags: ['open'],
      skillId: 's',
      expect: 'allow',
    },
    {
      name: 'others',
      caller: { organization: 'x' },
      agentId: 'a',
      tags: ['open'],
      skillId: 's',
      expect: 'deny',
    },
  ],
};

let hub: Hub;
let agent: ScriptedAgent;

beforeAll(async () => {
  agent = await ScriptedAgent.start({ skills: [{ id: 'open', tags: ['open'] }, { id: 'other' }] });
  hub = await startHub({ config: { policies: { default: 'deny', declared: [OPEN] } } });
  await hub.registerAgent(agent.url, { id: 'agent' });
});
afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

describe('with policies.default: deny', () => {
  const submit = (key: string, metadata: object): Promise<unknown> =>
    hub.submit('go', { message: { metadata } }, { key });

  it('nobody asks for anything that a policy does not permit', async () => {
    const [acme, other] = [
      await hub.createKey({ organization: 'acme' }),
      await hub.createKey({ organization: 'umbrella' }),
    ];
    expect(await submit(acme, { skillId: 'open' })).toMatchObject({ id: expect.any(String) });
    await expect(submit(acme, { skillId: 'other' })).rejects.toThrow(RpcError);
    await expect(submit(acme, { agentId: 'agent' })).rejects.toThrow('single skills');
    await expect(submit(other, { skillId: 'open' })).rejects.toThrow(RpcError);
    const card = await hub.get('/.well-known/agent-card.json', { key: null });
    expect([card.status, card.text.includes('agent.open')]).toEqual([200, false]);
    // What has no agent is as it was.
    expect(await hub.rpc('ListTasks', {}, { key: other })).toMatchObject({ tasks: [] });
  });

  it('a declared policy is shown, and changed in the file only', async () => {
    const { body } = await hub.admin('GET', '/api/v1/policies/open');
    expect(body).toMatchObject({ source: 'config', text: OPEN.text });
    expect((await hub.admin('PATCH', '/api/v1/policies/open', { enabled: false })).status).toBe(
      409,
    );
    expect((await hub.admin('DELETE', '/api/v1/policies/open')).status).toBe(409);
    expect((await hub.admin('POST', '/api/v1/policies', OPEN)).status).toBe(409);
  });

  it.each([
    [{ ...OPEN, text: 'permit(x);' }, 'policies.declared[0].text'],
    [{ ...OPEN, tests: [{ ...OPEN.tests[1], expect: 'allow' }] }, 'no policy permits it'],
    [{ ...OPEN, colour: 'red' }, 'policies.declared[0].colour'],
  ])('one that is wrong stops the start (%#)', async (policy, fault) => {
    const declared = { policies: { default: 'deny' as const, declared: [policy] } };
    const failure = await startHub({ config: declared }).then(
      () => undefined,
      (error: { problems?: { key: string; text: string }[] }) => error,
    );
    const problems = (failure?.problems ?? []).map(({ key, text }) => `${key} ${text}`).join();
    expect(problems).toContain(fault);
  });
});
