import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentRegistry, AgentStore } from '../../src/agents/index.js';
import { SendMessageRequest } from '../../src/protocol/a2a.js';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V1, failureOf } from '../support/grpc-client.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const UNKNOWN = 'nobody-at-all';

describe('an agent for some organizations only', () => {
  let hub: Hub;
  let agent: RunningAgent;
  /** Keys of a member, and of somebody of another organization. */
  let member: string;
  let stranger: string;

  beforeAll(async () => {
    agent = await startSdkAgent({
      name: 'Payroll',
      skills: [{ id: 'salaries', tags: ['payroll'] }],
      execute: answerOrAsk,
    });
    hub = await startHub({ config: { grpc: { port: -1 } } });
    member = await hub.createKey({ name: 'member', organization: 'team-a' });
    stranger = await hub.createKey({ name: 'stranger', organization: 'team-b' });
    await hub.registerAgent(agent.url, { id: 'limited', organizations: ['team-a', 'team-c'] });
    await hub.registerAgent(agent.url, { id: 'open' });
  });

  afterAll(async () => {
    await hub.close();
    await agent.close();
  });

  /** The error answer of a call, with the agent's id taken out of it. */
  async function refusal(
    method: string,
    params: JsonObject,
    path: string,
    id: string,
    key: string,
  ) {
    const answer = await hub.rpcRaw(method, params, { key, path });
    return [answer.status, answer.text.replaceAll(id, '<agent>')];
  }

  const named = (agentId: string) => ({ message: userMessage('hi', { metadata: { agentId } }) });

  it('works for their members: named, by skill, by tags, by sub-path and by tenant', async () => {
    for (const [params, path] of [
      [named('limited'), '/a2a'],
      [{ message: userMessage('hi', { metadata: { skillId: 'limited.salaries' } }) }, '/a2a'],
      [{ message: userMessage('hi') }, '/a2a/agents/limited'],
      [{ message: userMessage('hi'), tenant: 'limited' }, '/a2a'],
    ] as const) {
      const { task } = (await hub.rpc('SendMessage', params, { key: member, path })) as JsonObject;
      expect(agentsOf(task as JsonObject)).toEqual(['limited']);
    }
    const both = { 'urn:a2a-hub:routing:v1': { tags: ['payroll'], strategy: 'all' } };
    const { task } = await hub.send('hi', { metadata: both }, { key: member });
    expect(agentsOf(task as JsonObject)).toEqual(['limited', 'open']);
  });

  it('is to others as if it were not there, word for word', async () => {
    const bodies: [string, (id: string) => [JsonObject, string]][] = [
      ['SendMessage', (id) => [named(id), '/a2a']],
      ['SendStreamingMessage', (id) => [named(id), '/a2a']],
      ['SendMessage', (id) => [{ message: userMessage('hi') }, `/a2a/agents/${id}`]],
      ['SendMessage', (id) => [{ message: userMessage('hi'), tenant: id }, '/a2a']],
      [
        'SendMessage',
        (id) => [
          { message: userMessage('hi', { metadata: { skillId: `${id}.salaries` } }) },
          '/a2a',
        ],
      ],
      ['ListTasks', (id) => [{}, `/a2a/agents/${id}`]],
      ['GetTask', (id) => [{ id: 'no-task' }, `/a2a/agents/${id}`]],
      ['GetTask', (id) => [{ id: 'no-task', tenant: id }, '/a2a']],
    ];
    for (const [method, of] of bodies) {
      const [limited, path] = of('limited');
      const [unknown, unknownPath] = of(UNKNOWN);
      expect(await refusal(method, limited, path, 'limited', stranger)).toEqual(
        await refusal(method, unknown, unknownPath, UNKNOWN, stranger),
      );
    }
  });

  it('is so over HTTP+JSON and gRPC as well', async () => {
    const client = await GrpcClient.of(hub, { key: stranger });
    const seen = async (id: string): Promise<unknown[]> => {
      const body = JSON.stringify({ message: userMessage('hi', { messageId: 'm' }) });
      const answers = [
        await hub.post(`/a2a/${id}/message:send`, body, { key: stranger }),
        await hub.post(`/a2a/agents/${id}/message:stream`, body, { key: stranger }),
        await hub.get(`/a2a/${id}/tasks`, { key: stranger }),
        await hub.get(`/a2a/agents/${id}/tasks/none`, { key: stranger }),
        await hub.get(`/a2a/${id}/extendedAgentCard`, { key: stranger }),
      ];
      const request = SendMessageRequest.fromJSON({ tenant: id, message: userMessage('hi') });
      const { code, message } = await failureOf(client.call(V1.sendMessage, request));
      const texts = answers.map(({ status, text }) => `${status} ${text}`);
      return [...texts, code, message].map((text) => text.replaceAll(id, '<agent>'));
    };
    expect(await seen('limited')).toEqual(await seen(UNKNOWN));
    client.close();
  });

  it('is in no skill list, card or route of theirs', async () => {
    const { text } = await hub.rpcRaw('SendMessage', named(UNKNOWN), { key: stranger });
    expect(text).toContain('open.salaries');
    expect(text).not.toContain('limited');
    const tags = { tags: ['payroll'], strategy: 'all' };
    const { task } = await hub.send(
      'hi',
      { metadata: { 'urn:a2a-hub:routing:v1': tags } },
      { key: stranger },
    );
    expect(agentsOf(task as JsonObject)).toEqual(['open']);
    const dry = await hub.admin('POST', '/api/v1/routes:dry-run', tags, stranger);
    expect(dry.text).not.toContain('limited');
    const own = await hub.admin('POST', '/api/v1/routes:dry-run', tags, member);
    expect(own.body.chosen.map((one: Json) => one.agentId)).toEqual(['limited', 'open']);
    const card = await hub.get('/.well-known/agent-card.json', { key: null });
    expect([card.status, card.text.includes('limited.')]).toEqual([200, false]);
    const paths = ['limited', UNKNOWN].map((id) => `/a2a/agents/${id}/.well-known/agent-card.json`);
    const [limited, unknown] = await Promise.all(paths.map((path) => hub.get(path, { key: null })));
    expect([limited!.status, limited!.text.replaceAll('limited', UNKNOWN)]).toEqual([
      unknown!.status,
      unknown!.text,
    ]);
  });

  it('is shown to operators, who change who may use it', async () => {
    const operator = await hub.createKey({ organization: 'team-b', scopes: ['agents'] });
    const shown = await hub.admin('GET', '/api/v1/agents/limited', undefined, operator);
    expect(shown.body.organizations).toEqual(['team-a', 'team-c']);
    const open = await hub.admin('GET', '/api/v1/agents/open');
    expect(open.body.organizations).toBeNull();
    const patch = (organizations: unknown) =>
      hub.admin('PATCH', '/api/v1/agents/open', { organizations });
    expect((await patch(['team-z', 'team-z'])).body.organizations).toEqual(['team-z']);
    expect(await refusal('SendMessage', named('open'), '/a2a', 'open', stranger)).toEqual(
      await refusal('SendMessage', named(UNKNOWN), '/a2a', UNKNOWN, stranger),
    );
    expect((await patch(null)).body.organizations).toBeNull();
    for (const wrong of [[], [''], ['a\u0007'], 'team-a', [1], {}]) {
      const answer = await patch(wrong);
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'organizations']);
    }
  });

  it('goes on with open tasks, which take no further message of those who lost it', async () => {
    const { task } = await hub.send(
      'ask',
      { message: { metadata: { agentId: 'open' } } },
      {
        key: stranger,
      },
    );
    const asking = task as JsonObject;
    expect((asking['status'] as JsonObject)['state']).toBe('TASK_STATE_INPUT_REQUIRED');
    await hub.admin('PATCH', '/api/v1/agents/open', { organizations: ['team-a'] });
    const answer = { message: userMessage('yes', { taskId: asking['id'] as string }) };
    await expect(hub.rpc('SendMessage', answer, { key: stranger })).rejects.toMatchObject({
      code: -32602,
      data: [{ reason: 'NO_ROUTE' }],
    });
    const still = await hub.getTask(asking['id'] as string, { key: stranger });
    expect((still['status'] as JsonObject)['state']).toBe('TASK_STATE_INPUT_REQUIRED');
    await hub.admin('PATCH', '/api/v1/agents/open', { organizations: null });
    const done = (await hub.rpc('SendMessage', answer, { key: stranger })) as JsonObject;
    expect(((done['task'] as JsonObject)['status'] as JsonObject)['state']).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  it('can be canceled by those who lost it', async () => {
    const { task } = await hub.send(
      'ask',
      { message: { metadata: { agentId: 'open' } } },
      {
        key: stranger,
      },
    );
    await hub.admin('PATCH', '/api/v1/agents/open', { organizations: ['team-a'] });
    const canceled = (await hub.rpc(
      'CancelTask',
      { id: (task as JsonObject)['id'] },
      { key: stranger },
    )) as JsonObject;
    expect((canceled['status'] as JsonObject)['state']).toBe('TASK_STATE_CANCELED');
    await hub.admin('PATCH', '/api/v1/agents/open', { organizations: null });
  });
});

describe('an agent declared for some organizations', () => {
  it('is limited like any other', async () => {
    const agent = await startSdkAgent();
    const hub = await startHub({
      config: {
        agents: {
          declared: [{ id: 'declared', cardUrl: agent.url, organizations: ['team-a'] }],
        },
      },
    });
    const registry = hub.app.get(AgentRegistry);
    while (!registry.get('declared')) await new Promise((resolve) => setTimeout(resolve, 20));
    const key = await hub.createKey({ organization: 'team-a' });
    const message = { message: { metadata: { agentId: 'declared' } } };
    expect((await hub.send('hi', message, { key }))['task']).toBeDefined();
    await expect(hub.send('hi', message)).rejects.toMatchObject({ data: [{ reason: 'NO_ROUTE' }] });
    await hub.close();
    await agent.close();
  });
});

describe('a fallback', () => {
  let hub: Hub;
  let first: ScriptedAgent;
  let second: ScriptedAgent;
  let third: ScriptedAgent;
  let refuse: (() => void) | undefined;
  let key: string;

  beforeEach(async () => {
    hub = await startHub();
    refuse = undefined;
    const skills = [{ id: 's', tags: ['t'] }];
    first = await ScriptedAgent.start({
      skills,
      handlers: {
        SendStreamingMessage: (call) => {
          refuse = () => call.error(-32603, 'no');
        },
      },
    });
    second = await ScriptedAgent.start({ skills });
    third = await ScriptedAgent.start({ skills });
    await hub.registerAgent(first.url, { id: 'first', priority: 5 });
    await hub.registerAgent(second.url, { id: 'second', priority: 3 });
    await hub.registerAgent(third.url, { id: 'third' });
    key = await hub.createKey({ organization: 'team-b' });
  });

  afterEach(async () => {
    await hub.close();
    for (const agent of [first, second, third]) await agent.close();
  });

  /** Sends, changes the second agent while the first has the message, and lets that refuse it. */
  async function changedMeanwhile(change: () => Promise<unknown>): Promise<JsonObject> {
    const sent = hub.send('secret', { message: { metadata: { skillTags: ['t'] } } }, { key });
    await eventually(() => expect(refuse).toBeDefined(), 10_000);
    await change();
    refuse?.();
    return sent;
  }

  it('that is limited meanwhile gets no message of others: the next one does', async () => {
    const { task } = await changedMeanwhile(() =>
      hub.admin('PATCH', '/api/v1/agents/second', { organizations: ['team-a'] }),
    );
    expect([second.calls, third.calls.length]).toEqual([[], 1]);
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('that insists on an extension meanwhile, and was not asked for it, is passed over', async () => {
    await changedMeanwhile(() =>
      hub.app
        .get(AgentStore)
        .update('second', ({ card, ...agent }) => ({
          ...agent,
          card: {
            ...card,
            capabilities: {
              ...card.capabilities,
              extensions: [{ uri: 'urn:need', required: true, description: '', params: undefined }],
            },
          },
        }))
        .then(() => hub.app.get(AgentRegistry).renew()),
    );
    expect([second.calls, third.calls.length]).toEqual([[], 1]);
  });
});

function answerOrAsk(turn: AgentTurn): void {
  turn.task().working();
  if (turn.text === 'ask') turn.askForInput('really?');
  else turn.complete();
}

/** The ids of the agents that the task's route names. */
function agentsOf(task: JsonObject): string[] {
  const metadata = task['metadata'] as JsonObject;
  const { agents } = metadata['urn:a2a-hub:routing:v1'] as { agents: { agentId: string }[] };
  return agents.map(({ agentId }) => agentId);
}
