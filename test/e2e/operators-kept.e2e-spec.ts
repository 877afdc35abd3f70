import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES, type Scope } from '../../src/common/scope.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';

/*
 * Who may not revoke the keys of a principal may not end it in another way, and nobody but an operator takes back what an
 * operator has done.
 */

let hub: Hub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.close());

interface Made {
  readonly id: string;
  readonly key: string;
  readonly principalId: string;
}

async function made(scopes: readonly Scope[], organization: string): Promise<Made> {
  const answer = await hub.admin('POST', '/api/v1/keys', { name: 'n', scopes, organization });
  expect(answer.status).toBe(201);
  return answer.body;
}

const call = (
  { key }: Made,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<HttpAnswer> => hub.admin(method, `/api/v1/${path}`, body, key);

const isLetIn = async ({ key }: Made): Promise<boolean> =>
  (await hub.get('/api/v1/principals', { key })).status !== 401;

const OF_TEAMS: readonly Scope[] = ['a2a', 'tasks:organization', 'push', 'access:organization'];
const OF_OPERATORS = SCOPES.filter(
  (scope) => !OF_TEAMS.includes(scope) && !scope.endsWith(':organization'),
);

describe('who administers the access of one organization', () => {
  it.each(OF_OPERATORS)('ends no principal of it that has %s', async (scope) => {
    const lead = await made(['access:organization'], 'globex');
    const operator = await made([scope], 'globex');
    const path = `principals/${operator.principalId}`;
    const needed = scope === 'admin' || scope === 'data' ? 'admin' : 'access';
    const refused = await call(lead, 'POST', `${path}:disable`);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      `A principal with ${scope} needs a caller with the scope ${needed}.`,
    ]);
    expect(await isLetIn(operator)).toBe(true);
    // Nor deletes it, when somebody else has disabled it.
    expect((await hub.admin('POST', `/api/v1/${path}:disable`)).status).toBe(200);
    for (const [method, what] of [
      ['DELETE', path],
      ['POST', `${path}:enable`],
    ] as const) {
      expect((await call(lead, method, what)).status).toBe(403);
    }
    expect((await hub.admin('GET', `/api/v1/${path}`)).body).toMatchObject({ state: 'disabled' });
  });

  it('ends principals of its clients and teams', async () => {
    const lead = await made(['access:organization'], 'globex');
    for (const scope of OF_TEAMS) {
      const member = await made([scope], 'globex');
      const path = `principals/${member.principalId}`;
      expect((await call(lead, 'POST', `${path}:disable`)).status).toBe(200);
      expect(await isLetIn(member)).toBe(false);
      expect((await call(lead, 'POST', `${path}:enable`)).status).toBe(200);
      expect(await isLetIn(member)).toBe(true);
      expect((await call(lead, 'POST', `${path}:disable`)).status).toBe(200);
      expect((await call(lead, 'DELETE', path)).status).toBe(204);
    }
  });

  it('does not enable what an operator has disabled, whoever was first', async () => {
    const lead = await made(['access:organization'], 'globex');
    for (const isLeadFirst of [false, true]) {
      const member = await made(['a2a'], 'globex');
      const path = `principals/${member.principalId}`;
      if (isLeadFirst) {
        expect((await call(lead, 'POST', `${path}:disable`)).body.disabledByOperator).toBe(false);
      }
      const { body } = await hub.admin('POST', `/api/v1/${path}:disable`);
      expect(body).toMatchObject({ state: 'disabled', disabledByOperator: true });
      const refused = await call(lead, 'POST', `${path}:enable`);
      expect([refused.status, refused.body.detail]).toEqual([
        403,
        `An operator has disabled the principal ${member.principalId}: this needs a caller with the scope access.`,
      ]);
      expect((await call(lead, 'DELETE', path)).status).toBe(403);
      expect(await isLetIn(member)).toBe(false);
      const enabled = await hub.admin('POST', `/api/v1/${path}:enable`);
      expect(enabled.body).toMatchObject({ state: 'active', disabledByOperator: false });
      expect((await call(lead, 'POST', `${path}:disable`)).status).toBe(200);
      expect((await call(lead, 'POST', `${path}:enable`)).status).toBe(200);
    }
  });

  it('does not enable whose mapping to a person was deleted', async () => {
    const lead = await made(['access:organization'], 'globex');
    for (const isDisabledBefore of [false, true]) {
      const { principalId } = await made(['a2a'], 'globex');
      const path = `principals/${principalId}`;
      if (isDisabledBefore) expect((await call(lead, 'POST', `${path}:disable`)).status).toBe(200);
      const body = { principal: principalId, confirm: principalId, only: 'mapping' };
      const { body: job } = await hub.admin('POST', '/api/v1/data/deletions', body);
      for (let state = ''; state !== 'done';) {
        state = (await hub.admin('GET', `/api/v1/data/deletions/${job.id}`)).body.state;
        expect(['waiting', 'running', 'done']).toContain(state);
      }
      expect((await call(lead, 'POST', `${path}:enable`)).status).toBe(403);
    }
  });
});

describe('who administers the access of all, without admin', () => {
  it.each(['admin', 'data'] as const)('ends no principal with %s', async (scope) => {
    const operator = await made(['access'], 'operators');
    const kept = await made([scope], 'opsx');
    const path = `principals/${kept.principalId}`;
    const answers = [
      await call(operator, 'DELETE', `keys/${kept.id}`),
      await call(operator, 'POST', `${path}:disable`),
      await call(operator, 'POST', 'organizations/opsx:disable'),
    ];
    expect(answers.map(({ status, body }) => [status, body.detail.split(' ').at(-1)])).toEqual(
      answers.map(() => [403, 'admin.']),
    );
    expect(await isLetIn(kept)).toBe(true);
    expect((await hub.admin('POST', '/api/v1/organizations/opsx:disable')).status).toBe(200);
    expect((await call(operator, 'POST', 'organizations/opsx:enable')).status).toBe(403);
    expect((await hub.admin('POST', '/api/v1/organizations/opsx:enable')).status).toBe(200);
  });
});

it('who deletes data, without admin, deletes none of a principal with admin', async () => {
  const operator = await made(['data'], 'operators');
  const { principalId, ...kept } = await made(['admin'], 'opsy');
  for (const owner of [{ principal: principalId }, { organization: 'opsy' }]) {
    const body = { ...owner, confirm: Object.values(owner)[0] };
    const refused = await call(operator, 'POST', 'data/deletions', body);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'Principals with admin need a caller with the scope admin.',
    ]);
  }
  expect(await isLetIn({ principalId, ...kept })).toBe(true);
});
