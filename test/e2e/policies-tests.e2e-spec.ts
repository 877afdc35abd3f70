import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';

const PATH = '/api/v1/policies';

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.close());
afterEach(async () => {
  const { body } = await hub.admin('GET', `${PATH}?limit=200`);
  for (const { id } of body.items) await hub.admin('DELETE', `${PATH}/${id}?force=true`);
});

/** A policy that keeps callers from an agent, for its organization or all. */
function forbids(id: string, agent: string, members: JsonObject = {}): JsonObject {
  const text = `forbid(principal, action == Action::"SendMessage", resource in Agent::"${agent}");`;
  return { id, text, ...members };
}

/** A policy about nothing that matters, with what it promises of an agent. */
function promises(id: string, agentId: string, expected: string, members: JsonObject = {}) {
  const tests = [{ name: `${expected} ${agentId}`, agentId, expect: expected }];
  return forbids(id, `${id}-only`, { tests, ...members });
}

const post = (policy: JsonObject, query = ''): Promise<HttpAnswer> =>
  hub.admin('POST', `${PATH}${query}`, policy);
const patch = (id: string, members: JsonObject, query = ''): Promise<HttpAnswer> =>
  hub.admin('PATCH', `${PATH}/${id}${query}`, members);
const remove = (id: string, query = ''): Promise<HttpAnswer> =>
  hub.admin('DELETE', `${PATH}/${id}${query}`);

async function add(policy: JsonObject): Promise<void> {
  const answer = await post(policy);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
}

const fieldsOf = ({ status, body }: HttpAnswer): unknown => [
  status,
  ((body?.errors ?? []) as { field: string }[]).map(({ field }) => field),
];

describe('the tests of other policies', () => {
  it('refuse a policy that they would fail with, with their place and why', async () => {
    await add(promises('books', 'books', 'allow'));
    const answer = await post(forbids('closed', 'books'));
    expect(answer.body).toMatchObject({
      status: 400,
      errors: [
        {
          field: 'policies[books].tests[0]',
          description: '(allow books) expects allow, but it is forbidden by closed',
        },
      ],
      detail: expect.stringMatching(
        /^policies\[books\]\.tests\[0\]: \(allow books\) .*repeat this with force=true/,
      ),
    });
    expect((await hub.admin('GET', `${PATH}/closed`)).status).toBe(404);
    expect((await post(forbids('closed', 'other'))).status).toBe(201);
  });

  it('refuse that a policy is changed, put out of force, in force or deleted', async () => {
    await add(forbids('closed', 'books'));
    await add(promises('promise', 'books', 'deny'));
    const failing = [400, ['policies[promise].tests[0]']];
    const { text } = forbids('closed', 'others');
    expect(fieldsOf(await patch('closed', { text: text! }))).toEqual(failing);
    expect(fieldsOf(await patch('closed', { enabled: false }))).toEqual(failing);
    expect(fieldsOf(await remove('closed'))).toEqual(failing);
    const { body } = await hub.admin('GET', `${PATH}/closed`);
    expect(body).toMatchObject({ version: 1, enabled: true });
    expect((await patch('closed', { description: 'same', tests: [] })).status).toBe(200);
    expect((await patch('promise', { enabled: false })).status).toBe(200);
    expect((await patch('closed', { enabled: false })).status).toBe(200);
    await add(promises('open', 'books', 'allow'));
    expect(fieldsOf(await patch('closed', { enabled: true }))).toEqual([
      400,
      ['policies[open].tests[0]'],
    ]);
    expect((await remove('closed')).status).toBe(204);
  });

  it('go on to fail where that is forced, and refuse no change of others then', async () => {
    await add(promises('books', 'books', 'allow'));
    expect((await post(forbids('closed', 'books'), '?force=true')).status).toBe(201);
    expect(
      (await patch('closed', { text: `${forbids('', 'books').text as string}\n` })).status,
    ).toBe(200);
    await add(forbids('twice', 'books'));
    expect((await remove('twice')).status).toBe(204);
    expect(fieldsOf(await patch('books', { description: 'd' }, '?force=true'))).toEqual([
      400,
      ['tests[0]'],
    ]);
    const tests = promises('books', 'books', 'deny')['tests']!;
    expect((await patch('books', { tests })).status).toBe(200);
    expect(fieldsOf(await remove('closed'))).toEqual([400, ['policies[books].tests[0]']]);
    expect((await remove('closed', '?force=true')).status).toBe(204);
    const { body } = await hub.admin('GET', '/api/v1/audit?action=policies.delete&limit=2');
    const ofClosed = body.items.filter((entry: JsonObject) => entry.resourceId === 'closed');
    expect(ofClosed.map((entry: JsonObject) => (entry['details'] as JsonObject)['forced'])).toEqual(
      [true, true],
    );
  });

  it('may be changed first', async () => {
    await add(promises('books', 'books', 'allow'));
    expect((await patch('books', { tests: [] })).status).toBe(200);
    await add(forbids('closed', 'books'));
    const tests = promises('books', 'books', 'deny')['tests']!;
    expect((await patch('books', { tests })).status).toBe(200);
  });

  it('are all told at once, with those of the policy itself', async () => {
    await add(promises('one', 'books', 'allow'));
    await add(promises('two', 'books', 'allow'));
    const [test] = promises('', 'books', 'allow')['tests'] as JsonObject[];
    expect(fieldsOf(await post(forbids('closed', 'books', { tests: [test!] })))).toEqual([
      400,
      ['tests[0]', 'policies[one].tests[0]', 'policies[two].tests[0]'],
    ]);
  });
});

describe('the policy of an organization', () => {
  const acme = { organization: 'acme' };

  it('is changed whatever tests of the hub and of other organizations say, and answers nothing of them', async () => {
    const caller = { organization: 'acme' };
    const tests = [{ name: 'all', caller, agentId: 'books', expect: 'allow' }];
    await add(forbids('hub', 'none', { tests }));
    await add(promises('umbrella', 'books', 'allow', { organization: 'umbrella' }));
    await add(forbids('other', 'none', { organization: 'umbrella', tests }));
    await add(forbids('closed', 'books', acme));
    expect((await patch('closed', { enabled: false })).status).toBe(200);
    expect((await patch('closed', { enabled: true })).status).toBe(200);
    expect((await remove('closed')).status).toBe(204);
  });

  it('is refused where a test of its own organization would fail', async () => {
    await add(promises('own', 'books', 'allow', acme));
    expect(fieldsOf(await post(forbids('closed', 'books', acme)))).toEqual([
      400,
      ['policies[own].tests[0]'],
    ]);
    expect((await post(forbids('closed', 'books', { organization: 'umbrella' }))).status).toBe(201);
  });

  it('has its tests asked when one of the hub changes', async () => {
    await add(promises('own', 'books', 'allow', acme));
    await add(promises('hub', 'books', 'allow'));
    expect(fieldsOf(await post(forbids('closed', 'books')))).toEqual([
      400,
      ['policies[hub].tests[0]', 'policies[own].tests[0]'],
    ]);
  });
});

it('of policies that are saved at once, one that breaks what another promises is refused', async () => {
  const numbers = Array.from({ length: 10 }, (_, n) => n);
  const saved = await Promise.all(
    numbers.map((n) =>
      Promise.all([
        post(promises(`open-${n}`, `books-${n}`, 'allow')),
        post(forbids(`closed-${n}`, `books-${n}`)),
      ]),
    ),
  );
  for (const each of saved) expect(each.map(({ status }) => status).sort()).toEqual([201, 400]);
  await add(forbids('last', 'none'));
  const changes = numbers.map((n) => patch('last', { description: `d${n}` }));
  for (const { status } of await Promise.all(changes)) expect(status).toBe(200);
});

it('a dry run tells which tests would fail with a policy, its own and those of others', async () => {
  await add(promises('books', 'books', 'allow'));
  const policy = forbids('closed', 'books', promises('', 'books', 'allow', { id: 'closed' }));
  const tried = { ...policy, text: forbids('', 'books')['text']! };
  const dryRun = async (question: JsonObject): Promise<unknown> =>
    (await hub.admin('POST', `${PATH}:dry-run`, question)).body.failingTests;
  const why = '(allow books) expects allow, but it is forbidden by closed';
  for (const agentId of ['books', 'scripted', 'unknown']) {
    expect(await dryRun({ agentId, policy: tried })).toEqual([
      { field: 'policy.tests[0]', description: why },
      { field: 'policies[books].tests[0]', description: why },
    ]);
  }
  expect(await dryRun({ agentId: 'books' })).toBeNull();
  expect(await dryRun({ agentId: 'books', policy: forbids('closed', 'others') })).toEqual([]);
});
