import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { RpcError, type HttpAnswer } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, V1 } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TestIssuer } from '../support/test-issuer.js';

const PATH = '/api/v1/policies';
const CONTRACTORS = {
  id: 'contractors',
  text: '@reason("Contractors do not see the books.")\nforbid(principal in Group::"contractors", action == Action::"SendMessage", resource in Tag::"finance");',
};

let served: GrpcHub;
let hub: GrpcHub['hub'];
let books: ScriptedAgent;
let issuer: TestIssuer;
let staff: string;
let contractor: string;

beforeAll(async () => {
  [issuer, books] = await Promise.all([
    TestIssuer.start(),
    ScriptedAgent.start({
      skills: [
        { id: 'invoices', tags: ['Finance'] },
        { id: 'calendar', tags: ['dates'] },
      ],
    }),
  ]);
  served = await startGrpcHub(
    { auth: { issuers: [{ id: 'test', issuer: issuer.url, organization: 'acme' }] } },
    { live: { askAfter: 1 } },
  );
  ({ hub } = served);
  await hub.registerAgent(books.url, { id: 'books' });
  staff = await issuer.token({ aud: hub.url, sub: 'staff', groups: ['staff'] });
  contractor = await issuer.token({ aud: hub.url, sub: 'temp', groups: ['contractors'] });
});
afterAll(async () => {
  await served?.close();
  await books?.close();
  await issuer?.close();
});
afterEach(async () => {
  const { body } = await hub.admin('GET', `${PATH}?limit=200`);
  for (const { id } of body.items) await hub.admin('DELETE', `${PATH}/${id}`);
});

async function add(policy: JsonObject): Promise<JsonObject> {
  const answer = await hub.admin('POST', PATH, policy);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}
const tryOut = (question: JsonObject): Promise<HttpAnswer> =>
  hub.admin('POST', `${PATH}:dry-run`, question);

/** The agents that were asked, or why nobody was. */
async function sent(key: string, metadata: JsonObject): Promise<string> {
  try {
    const task = await hub.submit('go', { message: { metadata } }, { key });
    const [first] = (task as { metadata: Record<string, { agents: { agentId: string }[] }> })
      .metadata['urn:a2a-hub:routing:v1']!.agents;
    return first!.agentId;
  } catch (error) {
    if (error instanceof RpcError) return error.message;
    throw error;
  }
}
async function skillsOf(key: string): Promise<string[]> {
  const card = (await hub.rpc('GetExtendedAgentCard', {}, { key })) as {
    skills: { id: string }[];
  };
  return card.skills.map(({ id }) => id).sort();
}

describe('without policies', () => {
  it('everybody may ask whatever is open to its organization', async () => {
    expect(await sent(contractor, { skillTags: ['finance'] })).toBe('books');
    expect(await skillsOf(contractor)).toEqual([
      'books.calendar',
      'books.invoices',
      'scripted.scripted',
    ]);
  });
});

describe('a policy that forbids', () => {
  it('holds for tags, skills, agents and cards alike, and for nobody else', async () => {
    await add(CONTRACTORS);
    expect(await sent(contractor, { skillTags: ['finance'] })).toContain('No skill carries');
    expect(await sent(contractor, { skillId: 'invoices' })).toContain('No agent offers');
    expect(await sent(contractor, { skillId: 'books.invoices' })).toContain('No agent offers');
    expect(await skillsOf(contractor)).toEqual(['books.calendar', 'scripted.scripted']);
    expect(await sent(contractor, { skillId: 'calendar' })).toBe('books');
    expect(await sent(staff, { skillTags: ['finance'] })).toBe('books');
    expect(await skillsOf(staff)).toContain('books.invoices');
    const open = await hub.get('/.well-known/agent-card.json', { key: null });
    expect(open.text).toContain('books.invoices');
  });

  it('of the agent itself leaves its permitted skills, by their names alone', async () => {
    await add({
      id: 'only-calendar',
      text: 'forbid(principal in Group::"contractors", action == Action::"SendMessage", resource in Agent::"books") unless { resource == Skill::"books.calendar" };',
    });
    expect(await sent(contractor, { agentId: 'books' })).toContain('name one by skillId');
    expect(await sent(contractor, { agentId: 'books', skillId: 'calendar' })).toBe('books');
    expect(await sent(contractor, { agentId: 'books', skillId: 'invoices' })).toContain(
      'has no skill',
    );
    expect(await sent(contractor, { skillTags: ['dates'] })).toBe('books');
    expect(await sent(staff, { agentId: 'books' })).toBe('books');
  });

  it('shows an agent that is forbidden altogether as one that is not there, over every binding', async () => {
    await add({
      id: 'no-books',
      text: 'forbid(principal in Group::"contractors", action, resource in Agent::"books");',
    });
    const named = await sent(contractor, { agentId: 'books' });
    expect(named.replace('books', 'X')).toBe(
      (await sent(contractor, { agentId: 'unknown' })).replace('unknown', 'X'),
    );
    const rest = (id: string): Promise<HttpAnswer> =>
      hub.request(
        'POST',
        `/a2a/agents/${id}/message:send`,
        JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } }),
        { key: contractor, headers: { 'content-type': 'application/a2a+json' } },
      );
    const [forbidden, unknown] = [await rest('books'), await rest('unknown')];
    expect([forbidden.status, forbidden.text.replaceAll('books', 'X')]).toEqual([
      unknown.status,
      unknown.text.replaceAll('unknown', 'X'),
    ]);
    const client = new GrpcClient(served.client.target, { key: contractor });
    const failure = await failureOf(client.call(V1.getExtendedAgentCard, { tenant: 'books' }));
    expect(failure.code).not.toBe(status.OK);
    client.close();
    const v0 = await hub.rpcRaw(
      'message/send',
      {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          parts: [{ kind: 'text', text: 'go' }],
          metadata: { agentId: 'books' },
        },
      },
      { key: contractor, version: '0.3' },
    );
    expect(v0.text).toContain('No agent \\"books\\" is registered');
    expect(v0.text).not.toContain('no-books');
    await eventually(async () => {
      const { body } = await hub.admin(
        'GET',
        `/api/v1/audit?action=auth.access&requestId=${String(forbidden.headers['x-request-id'])}`,
      );
      expect(body.items).toMatchObject([
        {
          outcome: 'refused',
          policy: 'no-books',
          ...{ resourceType: 'agents', resourceId: 'books' },
          details: { reason: 'NO_ROUTE', cause: 'policy' },
        },
      ]);
    });
    const { body: strangers } = await hub.admin(
      'GET',
      `/api/v1/audit?requestId=${String(unknown.headers['x-request-id'])}`,
    );
    expect(strangers.items).toEqual([]);
  });

  it('stops follow-ups of those who may not any more, while their tasks stay theirs', async () => {
    const ask = { message: { metadata: { agentId: 'scripted' } } };
    const task = await hub.submit('ask', ask, { key: contractor });
    await hub.waitForTask(task['id'] as string, 'TASK_STATE_INPUT_REQUIRED', 10_000, {
      key: contractor,
    });
    await add({
      id: 'no-scripted',
      text: 'forbid(principal in Group::"contractors", action == Action::"SendMessage", resource in Agent::"scripted");',
    });
    const again = hub.submit('more', { message: { taskId: task['id'] } }, { key: contractor });
    await expect(again).rejects.toThrow('no longer available to you');
    expect(await hub.getTask(task['id'] as string, { key: contractor })).toMatchObject({
      id: task['id'],
    });
  });

  it('holds for a skill that only a further message names', async () => {
    await add(CONTRACTORS);
    const asking = await ScriptedAgent.start({
      skills: [
        { id: 'invoices', tags: ['Finance'] },
        { id: 'calendar', tags: ['dates'] },
      ],
      live: { askAfter: 1 },
    });
    await hub.registerAgent(asking.url, { id: 'asking' });
    const options = { key: contractor };
    const ask = { message: { metadata: { agentId: 'asking', skillId: 'calendar' } } };
    const taskId = (await hub.submit('ask', ask, options))['id'] as string;
    await hub.waitForTask(taskId, 'TASK_STATE_INPUT_REQUIRED', 10_000, options);
    const again = (metadata: JsonObject): Promise<unknown> =>
      hub.submit('more', { message: { taskId, metadata } }, options);
    const calls = asking.calls.length;
    for (const metadata of [
      { skillId: 'invoices' },
      { skillId: 'asking.invoices' },
      { skillTags: ['finance'] },
      { 'urn:a2a-hub:routing:v1': { tags: ['Finance'] } },
    ]) {
      await expect(again(metadata)).rejects.toThrow('send it without skillId and tags');
    }
    expect(asking.calls).toHaveLength(calls);
    await again({ skillId: 'calendar', skillTags: ['dates'] });
    await eventually(() => Promise.resolve(expect(asking.calls.length).toBeGreaterThan(calls)));
    await hub.admin('DELETE', '/api/v1/agents/asking');
    await asking.close();
  });

  it('holds for operations of the hub, webhooks that come with a message among them', async () => {
    await add({
      id: 'no-webhooks',
      text: 'forbid(principal in Group::"contractors", action == Action::"CreateTaskPushNotificationConfig", resource);',
    });
    const config = { url: 'https://hooks.example/x' };
    const send = (key: string) =>
      hub.rpcRaw(
        'SendMessage',
        {
          message: {
            messageId: `m-${Math.random()}`,
            role: 'ROLE_USER',
            parts: [{ text: 'go' }],
            metadata: { agentId: 'books' },
          },
          configuration: { returnImmediately: true, taskPushNotificationConfig: config },
        },
        { key },
      );
    expect((await send(contractor)).text).toContain(
      'A policy does not let you call CreateTaskPushNotificationConfig',
    );
    expect((await send(staff)).text).not.toContain('policy');
    const { body } = await hub.admin('GET', '/api/v1/audit?action=auth.access&limit=50');
    expect(body.items).toContainEqual(
      expect.objectContaining({
        policy: 'no-webhooks',
        details: expect.objectContaining({ cause: 'policy', reason: 'PERMISSION_DENIED' }),
      }),
    );
  });
});

describe('a policy of one organization', () => {
  it('is for its callers alone', async () => {
    const other = await hub.createKey({ organization: 'umbrella' });
    await add({
      id: 'acme-only',
      organization: 'acme',
      text: 'forbid(principal, action == Action::"SendMessage", resource in Agent::"books");',
    });
    expect(await sent(staff, { agentId: 'books' })).toContain('No agent');
    expect(await sent(other, { agentId: 'books' })).toBe('books');
  });
});

describe('saving a policy', () => {
  it.each<[string, string, RegExp]>([
    ['an unknown word', 'permit(principl, action, resource);', /line 1, column 8: .*principl/],
    [
      'an unknown operation',
      '\n\nforbid(principal, action == Action::"SendMesage", resource);',
      /line 3, .*did you mean `Action::"SendMessage"`/,
    ],
    ['an unknown type', 'forbid(principal in Team::"x", action, resource);', /Team/],
    [
      'an unknown attribute',
      'forbid(principal, action, resource) when { principal.age > 3 };',
      /age/,
    ],
    ['a template', 'permit(principal == ?principal, action, resource);', /template/],
    ['nothing', '// nothing', /holds no statement/],
    [
      'what can never apply',
      'forbid(principal is Agent, action, resource);',
      /line 1.*could never apply: no operation/,
    ],
    [
      'what is never true',
      'forbid(principal, action, resource) when { resource in Group::"x" };',
      /could never apply: its condition/,
    ],
  ])('is refused for %s, with its place', async (_, text, fault) => {
    const answer = await hub.admin('POST', PATH, { id: 'wrong', text });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({ field: 'text' });
    expect(answer.body.errors[0].description).toMatch(fault);
    expect(answer.body.detail).toMatch(/^text: /);
    expect((await hub.admin('GET', `${PATH}/wrong`)).status).toBe(404);
  });

  it.each<JsonObject>([
    { id: 'x' },
    { id: 'X Y', text: CONTRACTORS.text },
    { id: 'x', text: 7 },
    { id: 'x', text: 'permit(principal, action, resource);'.padEnd(20_000) },
    { id: 'x', text: CONTRACTORS.text, colour: 'red' },
    { id: 'x', text: CONTRACTORS.text, tests: [{ name: 't' }] },
    { id: 'x', text: CONTRACTORS.text, tests: [{ name: 't', expect: 'allow' }] },
  ])('is refused for members that are wrong (%#)', async (body) => {
    expect((await hub.admin('POST', PATH, body)).status).toBe(400);
  });

  it.each(['ac:me', 'ac/me', ' ', 'acme ', '..', 'x'.repeat(201)])(
    'is refused for an organization that no organization can be called: %j',
    async (organization) => {
      const { text } = CONTRACTORS;
      const answer = await hub.admin('POST', PATH, { id: 'x', text, organization });
      const rule = expect.stringContaining('without colons, slashes and blanks at its ends');
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [{ field: 'organization', description: rule }],
      ]);
      const tried = { agentId: 'books', policy: { id: 'x', text, organization } };
      expect((await tryOut(tried)).body.errors).toEqual([
        { field: 'policy.organization', description: rule },
      ]);
    },
  );

  it('asks its tests, and says which fails and why', async () => {
    const test = {
      name: 'no books for contractors',
      caller: { groups: ['contractors'] },
      agentId: 'books',
      skillId: 'invoices',
      tags: ['finance'],
      expect: 'deny',
    };
    const made = await add({ ...CONTRACTORS, tests: [test] });
    expect(made).toMatchObject({ version: 1, tests: [test], source: 'api', organization: null });
    const weaker = await hub.admin('PATCH', `${PATH}/contractors`, {
      text: CONTRACTORS.text.replace('finance', 'money'),
    });
    expect(weaker.status).toBe(400);
    expect(weaker.text).toContain('no books for contractors');
    expect(weaker.text).toContain('it is permitted by default');
    expect(await sent(contractor, { skillTags: ['finance'] })).toContain('No skill carries');
  });

  it('puts a policy out of force with its tests, which are asked again when it is put in force', async () => {
    const tests = [
      {
        name: 'no books',
        caller: { groups: ['contractors'] },
        agentId: 'books',
        tags: ['finance'],
        skillId: 'x',
        expect: 'deny',
      },
    ];
    await add({ ...CONTRACTORS, tests });
    const path = `${PATH}/contractors`;
    const changed = await hub.admin('PATCH', path, { enabled: false });
    expect([changed.status, changed.body.tests]).toEqual([
      200,
      [expect.objectContaining(tests[0]!)],
    ]);
    expect(await sent(contractor, { skillTags: ['finance'] })).toBe('books');
    const text = 'forbid(principal in Group::"others", action == Action::"SendMessage", resource);';
    expect((await hub.admin('PATCH', path, { text })).status).toBe(200);
    expect((await hub.admin('PATCH', path, { enabled: true })).text).toContain('expects deny');
    const mended = { enabled: true, text: CONTRACTORS.text };
    expect((await hub.admin('PATCH', path, mended)).status).toBe(200);
  });

  it.each([[[]], [[], []], [{}, []], [null], ['x']])(
    'refuses tests that are none: %j',
    async (...tests) => {
      const answer = await hub.admin('POST', PATH, { ...CONTRACTORS, id: 'none', tests });
      expect([answer.status, answer.body.errors[0].field]).toEqual([
        400,
        expect.stringMatching(/^tests/),
      ]);
    },
  );

  it('keeps versions, and refuses a change of another one than was read', async () => {
    await add(CONTRACTORS);
    const patch = (body: JsonObject, tag: string) =>
      hub.request('PATCH', `${PATH}/contractors`, JSON.stringify(body), {
        key: hub.adminKey,
        headers: { 'if-match': tag, 'content-type': 'application/json' },
      });
    const second = await patch({ enabled: false }, '"1"');
    expect([second.status, second.headers['etag']]).toEqual([200, '"2"']);
    expect((await patch({ enabled: true }, '"1"')).status).toBe(409);
    expect(await sent(contractor, { skillTags: ['finance'] })).toBe('books');
    const { body } = await hub.admin('GET', `${PATH}/contractors/versions`);
    expect(body.map(({ version, enabled }: JsonObject) => [version, enabled])).toEqual([
      [2, false],
      [1, true],
    ]);
    expect((await hub.admin('POST', PATH, CONTRACTORS)).status).toBe(409);
  });
});

describe('a dry run', () => {
  it('says who may what, by which policy and why', async () => {
    await add(CONTRACTORS);
    const question = { agentId: 'books', skillId: 'invoices', tags: ['finance'] };
    const refused = await tryOut({ ...question, caller: { groups: ['contractors'] } });
    expect(refused.body).toEqual({
      decision: 'deny',
      policies: [
        { id: 'contractors', effect: 'forbid', reason: 'Contractors do not see the books.' },
      ],
      agentTags: [],
      tags: ['finance'],
      why: 'It is forbidden by contractors (Contractors do not see the books.).',
      ...{ failingTests: null, warnings: null, skills: null, moreSkills: null },
    });
    const permitted = await tryOut({ ...question, caller: { groups: ['staff'] } });
    expect(permitted.body).toMatchObject({
      decision: 'allow',
      policies: [{ id: 'built-in', effect: 'permit' }],
    });
    const tried = await tryOut({
      ...question,
      policy: { id: 'contractors', text: 'forbid(principal, action, resource in Tag::"x");' },
      caller: { groups: ['contractors'] },
    });
    expect(tried.body.decision).toBe('allow');
    expect((await tryOut({ caller: {} })).status).toBe(400);
    expect((await tryOut({ agentId: 'books', operation: 'ListTasks' })).status).toBe(400);
    expect((await tryOut({ ...question, policy: { id: 'x', text: 'no' } })).status).toBe(400);
    const operation = await tryOut({ operation: 'ListTasks' });
    expect(operation.body).toMatchObject({ decision: 'allow', agentTags: null, tags: null });
  });

  it('warns of whom it names that is not there, and takes it all the same', async () => {
    const text = [
      'forbid(principal in Organization::"acmee", action, resource in Agent::"bokkeeper");',
      'forbid(principal == Caller::"nobody-\'x\'", action, resource in Agent::"books")',
      '  unless { resource in [Skill::"books.invoices", Skill::"books.nope", Skill::"alone"] };',
      'permit(principal == Caller::"admin", action, resource == Skill::"bokkeeper.x");',
      'permit(principal in Organization::"default", action, resource);',
    ].join('\n');
    const warnings = [
      'Agent::"bokkeeper" is not registered.',
      'Skill::"books.nope" is no skill of the agent "books".',
      'Skill::"alone" can be no skill: write the agent too, Skill::"AGENT.SKILL".',
      'Skill::"bokkeeper.x" is of an agent that is not registered: "bokkeeper".',
      'Caller::"nobody-\'x\'" is no principal that there is.',
      'Organization::"elsewhere" is no organization that there is.',
      'Organization::"acmee" is no organization that there is.',
    ];
    const policy = { id: 'mistyped', organization: 'elsewhere', text };
    expect((await tryOut({ operation: 'ListTasks', policy })).body.warnings).toEqual(warnings);
    const made = await hub.admin('POST', '/api/v1/policies', policy);
    expect([made.status, made.body.warnings]).toEqual([201, warnings]);
    const one = await hub.admin('GET', '/api/v1/policies/mistyped');
    expect(one.body.warnings).toEqual(warnings);
    await hub.createKey({ organization: 'acmee' });
    const later = await hub.admin('PATCH', '/api/v1/policies/mistyped', {
      text: text.split('\n', 1)[0]!,
    });
    expect(later.body.warnings).toEqual([warnings[0], warnings[5]]);
    const list = await hub.admin('GET', '/api/v1/policies');
    expect(list.body.items).toMatchObject([{ id: 'mistyped', warnings: later.body.warnings }]);
    const wide = (from: number, names: number): string => {
      const list = Array.from({ length: names }, (_, n) => `Agent::"none-${from + n}"`);
      return `permit(principal, action, resource) when { resource in [${list.join(', ')}] };`;
    };
    const ofWide = { id: 'wide', text: [wide(0, 40), wide(40, 33)].join('\n') };
    const wideOne = await tryOut({ operation: 'ListTasks', policy: ofWide });
    expect(wideOne.body.warnings).toHaveLength(22);
    expect(wideOne.body.warnings.slice(19)).toEqual([
      'Agent::"none-19" is not registered.',
      'So it is with 30 more of its names.',
      '23 more of its names were not looked up.',
    ]);
  });

  it('warns of a caller that there is not, whatever is decided of it', async () => {
    const asked = { operation: 'ListTasks' };
    const stranger = await tryOut({ ...asked, caller: { id: 'Rival', organization: 'Rivals' } });
    expect(stranger.body).toMatchObject({ decision: 'allow' });
    expect(stranger.body.warnings).toEqual([
      '"Rival" is no principal that there is: what is decided is of a caller without its organization and groups.',
      '"Rivals" is no organization that there is.',
    ]);
    const { principalId } = (
      await hub.admin('POST', '/api/v1/keys', {
        name: 'n',
        organization: 'rivals',
        scopes: ['a2a'],
      })
    ).body;
    for (const caller of [{ id: principalId }, { id: 'admin' }, { organization: 'rivals' }]) {
      expect((await tryOut({ ...asked, caller })).body.warnings).toBeNull();
    }
  });

  it('says which skills are open where an agent is closed by its name alone, and warns of it', async () => {
    const text =
      'forbid(principal in Group::"contractors", action == Action::"SendMessage", resource == Agent::"books");';
    const warnings = [expect.stringContaining('write "resource in Agent::"books""')];
    const made = await hub.admin('POST', '/api/v1/policies', { id: 'alone', text });
    expect(made.body).toMatchObject({ id: 'alone', warnings });
    const read = await hub.admin('GET', '/api/v1/policies');
    expect(read.body.items).toMatchObject([{ id: 'alone', warnings }]);
    const caller = { groups: ['contractors'] };
    const asked = { agentId: 'books', caller, eachSkill: true };
    const { body } = await tryOut(asked);
    expect(body).toMatchObject({ decision: 'deny', moreSkills: 0, warnings: null });
    expect(body.skills).toContainEqual({
      skillId: 'invoices',
      decision: 'allow',
      policies: [{ id: 'built-in', effect: 'permit', reason: null }],
      why: expect.stringContaining('permitted by default'),
    });
    const both = {
      id: 'alone',
      text: text.replace('==  Agent', 'in Agent').replace('resource ==', 'resource in'),
    };
    const closed = await tryOut({ ...asked, policy: both });
    expect(closed.body).toMatchObject({ decision: 'deny', warnings: [] });
    expect(closed.body.skills.map((each: JsonObject) => each['decision'])).not.toContain('allow');
    const unsaved = await tryOut({ ...asked, policy: { id: 'alone', text } });
    expect(unsaved.body).toMatchObject({ warnings });
    expect((await tryOut({ ...asked, skillId: 'invoices' })).body).toMatchObject({ skills: null });
    expect((await tryOut({ operation: 'ListTasks', eachSkill: true })).body).toMatchObject({
      skills: null,
    });
    expect((await tryOut({ ...asked, eachSkill: 'yes' })).status).toBe(400);
    await hub.admin('PATCH', '/api/v1/agents/books', { enabled: false });
    const disabled = (await tryOut(asked)).body;
    await hub.admin('PATCH', '/api/v1/agents/books', { enabled: true });
    expect(disabled.skills[0]).toMatchObject({
      decision: 'deny',
      why: expect.stringContaining('disabled, whatever policies say.'),
    });
  });

  it('takes the tags of what is registered, and answers what the hub does', async () => {
    await add(CONTRACTORS);
    const caller = { groups: ['contractors'] };
    const decided = async (question: JsonObject): Promise<JsonObject> =>
      (await tryOut({ caller, ...question })).body as JsonObject;
    expect(await decided({ agentId: 'books', skillId: 'invoices' })).toMatchObject({
      ...{ decision: 'deny', agentTags: [], tags: ['Finance'] },
      policies: [{ id: 'contractors' }],
    });
    expect(await decided({ agentId: 'books', skillId: 'calendar' })).toMatchObject({
      ...{ decision: 'allow', tags: ['dates'] },
    });
    expect(await decided({ agentId: 'books' })).toMatchObject({ decision: 'allow', tags: null });
    const text = `${CONTRACTORS.text}forbid(principal, action, resource in Tag::"dates");`;
    expect(await decided({ agentId: 'books', policy: { ...CONTRACTORS, text } })).toMatchObject({
      decision: 'deny',
      why: 'No skill of books is left: it is forbidden by contractors (Contractors do not see the books.).',
    });
    expect(await decided({ agentId: 'nope' })).toEqual({
      ...{ decision: 'deny', policies: [], agentTags: null, tags: null, failingTests: null },
      ...{ warnings: null, skills: null, moreSkills: null },
      why: 'No agent nope is registered.',
    });
    expect(await decided({ agentId: 'books', skillId: 'nope' })).toMatchObject({
      ...{ decision: 'deny', why: 'The agent books has no skill nope.' },
    });
    expect(await decided({ agentId: 'nope', agentTags: ['finance'] })).toMatchObject({
      ...{ decision: 'deny', agentTags: ['finance'] },
    });
    const unasked = await tryOut({ agentId: 'books', tags: ['finance'] });
    expect([unasked.status, unasked.body.errors[0].field]).toEqual([400, 'tags']);
    const none = await tryOut({ caller });
    expect(none.text).toContain('"agentId is needed for SendMessage');
  });

  it('knows composite skills', async () => {
    const steps = [{ name: 'one', agentId: 'books' }];
    const composite = { id: 'ask', name: 'Ask', description: 'Asks', tags: ['finance'], steps };
    expect((await hub.admin('POST', '/api/v1/composite-skills', composite)).status).toBe(201);
    await add(CONTRACTORS);
    const question = { agentId: 'composite', skillId: 'ask', caller: { groups: ['contractors'] } };
    expect((await tryOut(question)).body).toMatchObject({ decision: 'deny', tags: ['finance'] });
    await hub.admin('DELETE', '/api/v1/composite-skills/ask');
  });

  it('answers what the hub does of agents and composite skills that are closed to the caller', async () => {
    const steps = [{ name: 'one', agentId: 'books' }];
    const composite = { id: 'ask', name: 'Ask', description: 'Asks', tags: ['t'], steps };
    const [agents, composites] = ['/api/v1/agents/books', '/api/v1/composite-skills'];
    await hub.admin('POST', composites, composite);
    const about = { agentId: 'books', skillId: 'calendar' };
    const questions = [about, { agentId: 'composite', skillId: 'ask' }];
    const whys = async (organization: string): Promise<unknown[]> => {
      const answers = questions.map((each) => tryOut({ ...each, caller: { organization } }));
      return (await Promise.all(answers)).map(({ body }) => [body.decision, body.why]);
    };
    const open = ['allow', 'It is permitted by default, and no policy forbids it.'];
    const closed = (why: string): string[] => ['deny', `${why}, whatever policies say.`];
    await hub.admin('PATCH', agents, { organizations: ['acme'] });
    await hub.admin('PATCH', `${composites}/ask`, { organizations: ['acme'] });
    expect(await whys('acme')).toEqual([open, open]);
    expect(await whys('other')).toEqual([
      closed('The agent books is not for the organization other'),
      closed('The composite skill ask is not for the organization other'),
    ]);
    await hub.admin('PATCH', agents, { organizations: null, enabled: false });
    await hub.admin('PATCH', `${composites}/ask`, { organizations: null, enabled: false });
    expect(await whys('acme')).toEqual([
      closed('The agent books is disabled'),
      closed('The composite skill ask is disabled'),
    ]);
    expect(await sent(staff, about)).not.toBe('books');
    expect((await tryOut({ agentId: 'composite' })).body).toMatchObject({
      decision: 'deny',
      why: expect.stringContaining('There is no composite skill for the organization'),
    });
    await add({ id: 'none', text: 'forbid(principal, action, resource in Agent::"books");' });
    expect((await tryOut(about)).body).toMatchObject({
      ...{ decision: 'deny', policies: [{ id: 'none' }], why: 'It is forbidden by none.' },
    });
    await hub.admin('PATCH', agents, { enabled: true });
    await hub.admin('DELETE', `${composites}/ask`);
  });

  it('knows the organization and the groups of a principal', async () => {
    await add(CONTRACTORS);
    const principal = { id: 'temp', organization: 'globex', groups: ['contractors'] };
    expect((await hub.admin('POST', '/api/v1/principals', principal)).status).toBe(201);
    const about = { agentId: 'books', skillId: 'invoices' };
    const decided = async (caller: JsonObject): Promise<unknown> =>
      (await tryOut({ ...about, caller })).body.decision;
    expect(await decided({ id: 'temp' })).toBe('deny');
    expect(await decided({ id: 'temp', groups: ['more'] })).toBe('deny');
    const elsewhere = await tryOut({
      caller: { id: 'temp', organization: 'another' },
      agentId: 'books',
    });
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      400,
      expect.stringContaining('caller.organization must be that of the principal: '),
    ]);
    expect(await decided({ id: 'nobody' })).toBe('allow');
    await hub.admin('PATCH', '/api/v1/agents/books', { organizations: ['acme'] });
    expect(
      (await tryOut({ agentId: 'books', skillId: 'calendar', caller: { id: 'temp' } })).body,
    ).toMatchObject({
      decision: 'deny',
      why: expect.stringContaining('not for the organization globex'),
    });
    await hub.admin('PATCH', '/api/v1/agents/books', { organizations: null });
  });
});
