import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TokenServers } from '../../src/agents/client/authentication/token-servers.js';
import { UserConsents } from '../../src/agents/client/authentication/user-consents.js';
import { ConsentStore } from '../../src/agents/consents/consent-store.js';
import { Clock } from '../../src/common/clock.js';
import { TokenError } from '../../src/common/oauth/request-token.js';
import { SecretBox } from '../../src/common/secret-box.js';
import { CommitUnknown } from '../../src/database/commit-unknown.js';
import { ConsentRequests } from '../../src/tasks/store/consent-requests.js';
import { Database } from '../../src/database/database.js';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { TaskConsents } from '../../src/tasks/index.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { FakeVault } from '../support/fake-vault.js';
import { ConsentBrowser, type Shown } from '../support/consent-browser.js';
import { CONSENT_CLIENT, ConsentServer } from '../support/consent-server.js';
import { listenOnLoopback } from '../support/http-listener.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';
import { TestIssuer } from '../support/test-issuer.js';

let hub: Hub;
let vault: FakeVault;
let issuer: TestIssuer;
let provider: ConsentServer;
let agent: ScriptedAgent;
let key: string;
let principal = '';
let browser: ConsentBrowser;
let round = 0;

beforeAll(async () => {
  vault = await FakeVault.start();
  vault.tokens.add('hvs.hub');
  const secrets = {
    vault: { address: vault.url, auth: { token: 'hvs.hub' } },
    references: { vault: [{ allow: 'agents', organizations: [] }] },
  };
  issuer = await TestIssuer.start();
  const claims = { organization: 'org' };
  const auth = { issuers: [{ id: 'test', issuer: issuer.url, claims, organizations: ['acme'] }] };
  [hub, agent] = await Promise.all([
    startHub({ config: { secrets, auth } }),
    ScriptedAgent.start(),
  ]);
  provider = await ConsentServer.start(hub.url);
});

afterAll(() => Promise.all([hub, agent, provider, vault, issuer].map((each) => each?.close())));

/** Each test has a user of its own, with a browser of its own. */
beforeEach(async () => {
  agent.calls.splice(0);
  provider.isDown = false;
  provider.secret = undefined;
  principal = `user-${(round += 1)}`;
  key = await user(principal);
  browser = new ConsentBrowser();
  await hub.admin('DELETE', '/api/v1/agents/z');
  await register();
});

/** The key of a new principal. */
async function user(id: string): Promise<string> {
  await hub.admin('POST', '/api/v1/principals', { id });
  const made = await hub.admin('POST', '/api/v1/keys', {
    name: 'own',
    principal: id,
    scopes: ['a2a'],
  });
  return made.body.key as string;
}

const register = (changes: JsonObject = {}): Promise<string> =>
  hub.registerAgent(agent.url, {
    id: 'z',
    authentication: {
      type: 'oauth2-authorization-code',
      issuer: provider.url,
      ...CONSENT_CLIENT,
      scopes: ['openid', 'offline_access', 'payroll.read'],
      ...changes,
    },
  });
const accounts = () =>
  Promise.all(agent.calls.map(({ headers }) => provider.accountOf(headers.authorization)));
const rows = (table: string) => hub.app.get(Database).read<JsonObject>(`SELECT * FROM ${table}`);
const run = (sql: string): Promise<unknown> => hub.app.get(Database).write((tx) => tx.run(sql));
const consents = async (query = ''): Promise<JsonObject[]> =>
  (await hub.admin('GET', `/api/v1/consents?principal=${principal}${query}`)).body.items;

/** Why consents of the principal have ended by themselves, as the audit log has it. */
async function ends(): Promise<unknown[]> {
  const query = `action=consents.end&onBehalfOf=${principal}`;
  const { body } = await hub.admin('GET', `/api/v1/audit?${query}`);
  return (body.items as JsonObject[]).map((entry) => {
    const { details, ...rest } = entry;
    expect(rest).toMatchObject({ outcome: 'succeeded', principal: null, organization: 'default' });
    expect(rest).toMatchObject({ resourceType: 'consents', resourceId: expect.any(String) });
    expect(Object.keys(details as object)).toEqual(['cause']);
    return (details as JsonObject)['cause'];
  });
}

interface Told {
  readonly id: string;
  readonly state: string;
  readonly text: string;
  readonly link: string;
  readonly awaits: JsonObject;
}

function told(task: JsonObject): Told {
  const { state, message } = task['status'] as JsonObject & { state: string };
  const said = message as { parts?: { text: string }[]; metadata?: JsonObject } | undefined;
  const text = said?.parts?.map((part) => part.text).join('') ?? '';
  const data = said?.metadata?.[ROUTING_EXTENSION_URI] as JsonObject | undefined;
  const awaits = (data?.['awaits'] ?? {}) as JsonObject;
  return { id: task['id'] as string, state, text, awaits, link: String(awaits['url']) };
}

/** The address that the provider sends the browser back to. */
async function callback(task: Told): Promise<string> {
  const stopAt = `${hub.url}/oauth/callback`;
  return (await browser.consent(task.link, 'alice', false, stopAt)).url;
}

/** The rows of the page of a link. */
function facts(page: string): Record<string, string> {
  const found = page.matchAll(/<dt>(.*)<\/dt>\n<dd><bdi>(.*)<\/bdi><\/dd>/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]));
}

/** A task that waits for the consent of its owner. */
async function waiting(text = 'hi'): Promise<Told> {
  return told((await hub.send(text, { tenant: 'z' }, { key }))['task'] as JsonObject);
}
const now = async (id: string): Promise<Told> =>
  told((await hub.rpc('GetTask', { id }, { key })) as JsonObject);
const ended = async (id: string): Promise<Told> =>
  told(await hub.waitForTask(id, 'TASK_STATE_COMPLETED', 10_000, { key }));

describe('an agent that is called with the consent of a user', () => {
  it('is called once the owner of the task has consented by the link', async () => {
    const task = await waiting();
    expect(task.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(task.link).toMatch(new RegExp(`^${hub.url}/oauth/consent/[\\w-]{43}$`));
    expect(task.text).toContain(task.link);
    expect(task.awaits).toEqual({
      type: 'consent',
      url: task.link,
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(agent.calls).toHaveLength(0);
    const page = await browser.open(task.link);
    expect(page.status).toBe(200);
    for (const shown of [principal, hub.url, provider.url]) expect(page.text).toContain(shown);
    const end = await browser.consent(task.link, 'alice');
    expect([end.status, end.text]).toEqual([200, expect.stringContaining('close this page')]);
    expect((await ended(task.id)).state).toBe('TASK_STATE_COMPLETED');
    expect(await accounts()).toEqual(['alice']);
    // The next task needs none, whoever else of the same hub does.
    expect((await waiting()).state).toBe('TASK_STATE_COMPLETED');
    expect(await accounts()).toEqual(['alice', 'alice']);
    const other = await user(`${principal}-other`);
    const theirs = (await hub.send('hi', { tenant: 'z' }, { key: other }))['task'] as JsonObject;
    expect(told(theirs).state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('shows who the owner is, and its name only as one that was chosen', async () => {
    const displayName = 'Alice <Miller>, organization acme';
    await hub.admin('PATCH', `/api/v1/principals/${principal}`, { displayName });
    expect(facts((await browser.open((await waiting()).link)).text)).toMatchObject({
      'In the name of the principal': principal,
      'Of the organization': 'default',
      'Which comes with': 'an API key, without a sign-in',
      'A name chosen for it': '“Alice &lt;Miller&gt;, organization acme”',
    });
    key = await issuer.token({ aud: hub.url, sub: `${principal}@acme.example` });
    const { text } = await browser.open((await waiting()).link);
    expect(facts(text)).toMatchObject({
      'In the name of the principal': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'Of the organization': 'acme',
      'Which signs in as': `${principal}@acme.example`,
      At: issuer.url,
    });
    expect(text).not.toContain('chosen');
    const asked = /<strong>(.*?)<\/strong>/.exec(text)?.[1]?.replaceAll(/<[^>]+>/g, '');
    expect(asked).toContain(
      `If ${principal}@acme.example at ${issuer.url}, of the organization acme,`,
    );
  });

  it('goes on with every task of the owner that waits, and with what was said meanwhile', async () => {
    const [one, two] = [await waiting('one'), await waiting('two')];
    const message = { taskId: one.id };
    await hub.submit('more', { message }, { key });
    await hub.waitForTask(one.id, 'TASK_STATE_AUTH_REQUIRED', 10_000, { key });
    const again = await eventuallyAsks(one.id, one.link);
    // The old link ends with the new one.
    expect((await browser.open(one.link)).status).toBe(404);
    await browser.consent(again.link, 'alice');
    await Promise.all([ended(one.id), ended(two.id)]);
    const texts = agent.calls.map((call) => call.text).sort();
    expect(texts).toContain('one');
    expect(texts).toContain('two');
    expect(await rows('consent_requests')).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ task_id: one.id })]),
    );
  });

  it('says when the consent was denied, and the link still asks', async () => {
    const task = await waiting();
    const denied = await browser.consent(task.link, 'alice', true);
    expect([denied.status, denied.text]).toEqual([403, expect.stringContaining('was denied')]);
    const after = await now(task.id);
    expect([after.state, after.link]).toEqual(['TASK_STATE_AUTH_REQUIRED', task.link]);
    expect(after.text).toContain('The consent was denied.');
    expect(await consents()).toEqual([]);
    expect((await browser.consent(task.link, 'alice')).status).toBe(200);
    await ended(task.id);
  });

  it('keeps the tokens encrypted, and shows them nowhere', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    const token = agent.calls[0]!.headers.authorization!.slice('Bearer '.length);
    const stored = JSON.stringify(await rows('consents'));
    expect(stored).not.toContain(token);
    expect(stored).toMatch(/"sealed_refresh_token":"v1:/);
    const [shown] = await consents();
    expect(shown).toEqual({
      id: expect.any(String),
      principal,
      principalName: null,
      organization: 'default',
      agent: 'z',
      server: provider.url,
      scope: 'openid offline_access payroll.read',
      createdAt: expect.any(String),
    });
    const { body } = await hub.admin('GET', '/api/v1/agents/z');
    expect(JSON.stringify(body)).not.toContain(CONSENT_CLIENT.clientSecret);
    const audit = await hub.admin('GET', '/api/v1/audit?limit=200');
    const entries = audit.body.items as JsonObject[];
    const given = entries.filter(({ action }) => action === 'consents.give');
    expect(given[0]).toMatchObject({
      outcome: 'succeeded',
      resourceType: 'consents',
      onBehalfOf: principal,
    });
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(JSON.stringify(await rows('consent_requests'))).not.toContain(task.link.slice(-43));
  });

  it('is asked for anew when its owner has ended it', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    const [consent] = await consents();
    const path = `/api/v1/consents/${consent!['id'] as string}`;
    expect((await hub.admin('DELETE', path)).status).toBe(204);
    expect((await hub.admin('DELETE', path)).status).toBe(404);
    // At the provider as well.
    expect(await accounts()).toEqual([undefined]);
    expect((await waiting()).state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(agent.calls).toHaveLength(1);
  });

  it('ends with its principal', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    await hub.admin('POST', `/api/v1/principals/${principal}:disable`);
    await eventually(async () => expect(await consents()).toEqual([]));
    expect(await ends()).toEqual(['disabled-principal']);
  });

  it('ends with its agent, at the provider too', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    expect(await accounts()).toEqual(['alice']);
    await hub.admin('DELETE', '/api/v1/agents/z');
    // Consents that have ended are looked for at once then.
    await hub.admin('POST', '/api/v1/principals', { id: `${principal}-other` });
    await hub.admin('POST', `/api/v1/principals/${principal}-other:disable`);
    await eventually(async () => expect(await accounts()).toEqual([undefined]));
    expect(await consents()).toEqual([]);
    expect(await ends()).toEqual(['deleted-agent']);
  });

  it('ends at the provider when the data of its owner is deleted, which the receipt counts', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    expect(await accounts()).toEqual(['alice']);
    // Those of disabled principals are ended beside it as well.
    const others = jest.spyOn(hub.app.get(ConsentStore), 'ended').mockResolvedValue([]);
    const { body } = await hub.admin('POST', '/api/v1/data/deletions', {
      ...{ principal, confirm: principal },
    });
    await eventually(async () => {
      const job = await hub.admin('GET', `/api/v1/data/deletions/${body.id as string}`);
      expect(job.body).toMatchObject({
        state: 'done',
        progress: { consents: { counted: 1, done: 1 } },
      });
    }, 20_000);
    others.mockRestore();
    expect(await accounts()).toEqual([undefined]);
    expect(await ends()).toEqual(['disabled-principal']);
  });

  describe('whose provider refuses the secret that the hub has', () => {
    let path: string;
    const rotate = (secret: string): void => {
      provider.secret = secret;
      vault.secrets.set(path, { secret });
    };
    beforeEach(async () => {
      path = `agents/${principal}`;
      rotate(CONSENT_CLIENT.clientSecret);
      await hub.admin('DELETE', '/api/v1/agents/z');
      await register({ clientSecret: { secretRef: `vault:${path}#secret` } });
    });

    it('is completed with the one that there is by now', async () => {
      const task = await waiting();
      const back = await callback(task);
      rotate('rotated-before-the-answer');
      expect((await browser.open(back)).status).toBe(200);
      await ended(task.id);
      expect(await accounts()).toEqual(['alice']);
    });

    it('ends there with the one that there is by now', async () => {
      const task = await waiting();
      await browser.consent(task.link, 'alice');
      await ended(task.id);
      rotate('rotated-before-the-end');
      const [consent] = await consents();
      await hub.admin('DELETE', `/api/v1/consents/${consent!['id'] as string}`);
      expect(await accounts()).toEqual([undefined]);
    });

    it('is not completed when there is no other one', async () => {
      const back = await callback(await waiting());
      provider.secret = 'known-to-nobody';
      const asked = jest.spyOn(hub.app.get(TokenServers), 'userTokens');
      const page = await browser.open(back);
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('HTTP 401')]);
      expect(asked).toHaveBeenCalledTimes(1);
      asked.mockRestore();
    });
  });

  it('is kept when the agent refuses its only token once, and ends when it is refused again later', async () => {
    await hub.admin('DELETE', '/api/v1/agents/z');
    await register({ scopes: ['openid', 'payroll.read'] });
    await browser.consent((await waiting()).link, 'alice');
    await eventually(() => Promise.resolve(expect(agent.calls).toHaveLength(1)));
    const refuse = (call: ScriptedCall): void => void call.send(401, 'no', 'text/plain');
    Object.assign(agent.handlers, { SendMessage: refuse, SendStreamingMessage: refuse });
    const clock = hub.app.get(Clock);
    const [real, realMs] = [clock.now.bind(clock), clock.monotonicMs.bind(clock)];
    const [later, laterMs] = [jest.spyOn(clock, 'now'), jest.spyOn(clock, 'monotonicMs')];
    const goOn = (ms: number): void => {
      later.mockImplementation(() => new Date(real().getTime() + ms));
      laterMs.mockImplementation(() => realMs() + ms);
    };
    try {
      // It is no young token any more. However many calls meet the same trouble, that is one refusal.
      for (const ms of [70_000, 71_000, 90_000]) {
        goOn(ms);
        expect((await waiting()).state).toBe('TASK_STATE_FAILED');
        expect(await consents()).toHaveLength(1);
        expect(new Set(await accounts())).toEqual(new Set(['alice']));
      }
      goOn(140_000);
      const task = await waiting();
      expect(task.state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect(task.text).toContain('does not take the access token of the consent');
    } finally {
      for (const each of [later, laterMs]) each.mockRestore();
      for (const name of Object.keys(agent.handlers)) delete agent.handlers[name];
    }
    expect(await consents()).toEqual([]);
    expect(await ends()).toEqual(['token-refused-by-agent']);
    // At the provider too.
    expect(new Set(await accounts())).toEqual(new Set([undefined]));
  });

  it('does not count for another client, nor at another server of the agent', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    await hub.admin('PATCH', '/api/v1/agents/z', {
      authentication: {
        type: 'oauth2-authorization-code',
        issuer: provider.url,
        ...CONSENT_CLIENT,
        scopes: ['openid'],
      },
    });
    expect((await waiting()).state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(agent.calls).toHaveLength(1);
  });

  it('is for the client that the organization of the user has of its own', async () => {
    const own = await ConsentServer.start(hub.url);
    const path = '/api/v1/agents/z/credentials/red';
    const authentication = {
      ...{ type: 'oauth2-authorization-code', issuer: own.url, ...CONSENT_CLIENT },
      scopes: ['openid', 'payroll.read'],
    };
    try {
      const shared = await waiting();
      await browser.consent(shared.link, 'alice');
      await ended(shared.id);
      const id = `${principal}-of-red`;
      await hub.admin('POST', '/api/v1/principals', { id, organization: 'red' });
      const made = await hub.admin('POST', '/api/v1/keys', {
        ...{ name: 'own', principal: id, scopes: ['a2a'] },
      });
      expect((await hub.admin('PUT', path, { authentication })).status).toBe(201);
      key = made.body.key as string;
      const task = await waiting();
      expect((await browser.open(task.link)).text).toContain(own.url);
      await browser.consent(task.link, 'rita');
      await ended(task.id);
      const sent = agent.calls.at(-1)?.headers.authorization;
      expect([await own.accountOf(sent), await provider.accountOf(sent)]).toEqual([
        'rita',
        undefined,
      ]);
      // For another client of it, and for that of the agent, it does not count.
      await hub.admin('PUT', path, { authentication: { ...authentication, scopes: ['openid'] } });
      expect((await waiting()).state).toBe('TASK_STATE_AUTH_REQUIRED');
      expect((await hub.admin('DELETE', path)).status).toBe(204);
      const again = await waiting();
      expect((await browser.open(again.link)).text).toContain(provider.url);
      expect(agent.calls).toHaveLength(2);
    } finally {
      await own.close();
    }
  });

  it('is asked for at once when a further message lacks it', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    agent.handlers['SendStreamingMessage'] = (call) => {
      const state = call.message['taskId'] ? 'COMPLETED' : 'INPUT_REQUIRED';
      call.result({ task: { id: 'd', contextId: 'c', status: { state: `TASK_STATE_${state}` } } });
    };
    try {
      const asks = await waiting();
      expect(asks.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const [consent] = await consents();
      await hub.admin('DELETE', `/api/v1/consents/${consent!['id'] as string}`);
      const sleep = jest.spyOn(hub.app.get(Clock), 'sleep');
      const message = { taskId: asks.id };
      const answered = (await hub.send('well', { message }, { key }))['task'] as JsonObject;
      expect(told(answered).state).toBe('TASK_STATE_AUTH_REQUIRED');
      // The pause before an agent that is out of reach is tried again.
      expect(sleep).not.toHaveBeenCalledWith(500, expect.anything());
      sleep.mockRestore();
      await browser.consent(told(answered).link, 'alice');
      await ended(asks.id);
    } finally {
      delete agent.handlers['SendStreamingMessage'];
    }
  });

  it('is not shown, nor ended, to those who administer another organization', async () => {
    const task = await waiting();
    await browser.consent(task.link, 'alice');
    await ended(task.id);
    const [consent] = await consents();
    const path = `/api/v1/consents/${consent!['id'] as string}`;
    const scopes = ['access:organization'];
    const other = await hub.createKey({ organization: 'other', scopes });
    const found = await hub.admin('GET', '/api/v1/consents', undefined, other);
    expect(found.body.items).toEqual([]);
    expect((await hub.admin('DELETE', path, undefined, other)).status).toBe(404);
    expect(await consents()).toHaveLength(1);
  });

  it('is seen and ended by its owner with a2a alone, and by no other user', async () => {
    await browser.consent((await waiting()).link, 'alice');
    const mine = async (by: string, query = ''): Promise<JsonObject[]> =>
      (await hub.admin('GET', `/api/v1/consents${query}`, undefined, by)).body.items;
    const [consent] = await mine(key);
    expect(await mine(key)).toEqual(await consents());
    const path = `/api/v1/consents/${consent!['id'] as string}`;
    const other = await user(`${principal}-other`);
    const others = await mine(other, `?principal=${principal}`);
    const theirs = await hub.admin('DELETE', path, undefined, other);
    expect([await mine(other), others, theirs.status]).toEqual([[], [], 404]);
    const push = await hub.createKey({ organization: 'default', scopes: ['push'] });
    const refused = await hub.admin('DELETE', path, undefined, push);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This needs a key or token with the scope a2a or access:organization.',
    ]);
    expect(await consents()).toHaveLength(1);
    expect((await hub.admin('DELETE', path, undefined, key)).status).toBe(204);
    expect((await hub.admin('DELETE', path, undefined, key)).status).toBe(404);
    expect(await consents()).toEqual([]);
    expect((await waiting()).state).toBe('TASK_STATE_AUTH_REQUIRED');
    const audit = await hub.admin(
      'GET',
      `/api/v1/audit?action=consents.delete&principal=${principal}`,
    );
    expect(audit.body.items.map(({ outcome }: JsonObject) => outcome)).toEqual([
      ...['failed', 'attempted', 'succeeded', 'attempted'],
    ]);
  });
});

describe('the token of a consent', () => {
  /** A provider of its own, whose grants are counted. */
  let counting: ConsentServer;
  const server = (): JsonObject => ({ issuer: counting.url });

  beforeAll(async () => void (counting = await ConsentServer.start(hub.url)));
  afterAll(() => counting.close());
  beforeEach(() => {
    counting.isDown = false;
    counting.grants.splice(0);
  });

  const consented = async (changes: JsonObject = {}): Promise<void> => {
    await hub.admin('DELETE', '/api/v1/agents/z');
    await register({ ...server(), ...changes });
    const task = await waiting();
    expect(await browser.consent(task.link, 'alice')).toMatchObject({ status: 200 });
    await ended(task.id);
    expect(agent.calls).toHaveLength(1);
    // As if its token had expired since.
    await run(`UPDATE consents SET usable_until = 0 WHERE principal_id = '${principal}'`);
  };

  it('is renewed when it has expired, once for all who need it', async () => {
    await consented();
    const tasks = await Promise.all(['a', 'b', 'c', 'd'].map((text) => waiting(text)));
    expect(tasks.map(({ state }) => state)).toEqual(Array(4).fill('TASK_STATE_COMPLETED'));
    expect(counting.grants).toEqual(['authorization_code', 'refresh_token']);
    const used = agent.calls.map(({ headers }) => headers.authorization);
    expect(new Set(used).size).toBe(2);
  });

  it('that is renewed no more makes the task ask for a consent again', async () => {
    await consented();
    await counting.revokeAll();
    const task = await waiting();
    expect(task.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(await consents()).toEqual([]);
    expect(await ends()).toEqual(['refused-token']);
    await browser.consent(task.link, 'alice');
    await ended(task.id);
  });

  it('that cannot be renewed, having no refresh token, does as well', async () => {
    await consented({ scopes: ['openid'] });
    expect((await waiting()).state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(agent.calls).toHaveLength(1);
    expect(await ends()).toEqual(['expired-token']);
  });

  it('stays when its provider is away: nothing is sent without it', async () => {
    await consented();
    counting.isDown = true;
    const task = await waiting();
    expect(task.state).toBe('TASK_STATE_FAILED');
    expect(agent.calls).toHaveLength(1);
    counting.isDown = false;
    expect(await consents()).toHaveLength(1);
    expect((await waiting()).state).toBe('TASK_STATE_COMPLETED');
  });

  it('that was renewed and could not be stored ends, and the next task asks for a consent again', async () => {
    await consented();
    const revoked = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    const [kept] = await rows("consents WHERE principal_id = '" + principal + "'");
    await run(`CREATE TRIGGER full BEFORE UPDATE OF token_at ON consents
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    expect((await waiting()).state).toBe('TASK_STATE_FAILED');
    await run('DROP TRIGGER full');
    expect(revoked).toHaveBeenCalledTimes(1);
    const box = hub.app.get(SecretBox);
    expect(revoked.mock.calls[0]![1]).not.toBe(box.open(kept!['sealed_refresh_token'] as string));
    await expect(revoked.mock.results[0]!.value).resolves.toBeUndefined();
    revoked.mockRestore();
    expect(agent.calls).toHaveLength(1);
    // The provider takes a refresh token once.
    const task = await waiting();
    expect(task.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(task.text).toContain('does not take the consent that you have given any more');
    expect(await ends()).toEqual(['refused-token']);
    await browser.consent(task.link, 'alice');
    await ended(task.id);
  });

  it('that was renewed is stored when the database takes it again', async () => {
    await consented();
    const ends = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    const stored = jest
      .spyOn(hub.app.get(ConsentStore), 'renew')
      .mockRejectedValueOnce(new Error('the pool is empty'))
      .mockRejectedValueOnce(new Error('the pool is empty'));
    expect((await waiting()).state).toBe('TASK_STATE_COMPLETED');
    expect(stored).toHaveBeenCalledTimes(3);
    expect(ends).not.toHaveBeenCalled();
    ends.mockRestore();
    stored.mockRestore();
    expect(await consents()).toHaveLength(1);
  });

  it('that was renewed is not tried to be stored when another process may renew it', async () => {
    await consented();
    const clock = hub.app.get(Clock);
    const time = clock.now.bind(clock);
    let late = 0;
    const moved = jest
      .spyOn(clock, 'now')
      .mockImplementation(() => new Date(time().getTime() + late));
    const reserved = jest.spyOn(hub.app.get(ConsentStore), 'reserve');
    const stored = jest.spyOn(hub.app.get(ConsentStore), 'renew').mockImplementation(() => {
      late = 60_000;
      return Promise.reject(new Error('the pool is empty'));
    });
    const { state } = await waiting();
    expect(stored).toHaveBeenCalledTimes(1);
    for (const each of [moved, stored]) each.mockRestore();
    expect(state).toBe('TASK_STATE_FAILED');
    const [, , until, from] = reserved.mock.calls[0]!;
    reserved.mockRestore();
    // Twice 10 s at the provider, and storing what came.
    expect(until.getTime() - from.getTime()).toBe(60_000);
  });

  it.each(['is refused', 'brings other tokens'])(
    'that its user gives anew while the renewal of the one before %s is used as it is then',
    async (outcome) => {
      await consented();
      const [servers, store] = [hub.app.get(TokenServers), hub.app.get(ConsentStore)];
      const userTokens = servers.userTokens.bind(servers);
      const renewed = jest
        .spyOn(servers, 'userTokens')
        .mockImplementationOnce(async (...requested) => {
          const held = await store.of({
            principalId: principal,
            organization: 'default',
            agentId: 'z',
          });
          await store.put({
            ...held!,
            ...{ accessToken: 'given-anew', refreshToken: 'also-new' },
            tokenAt: new Date(held!.tokenAt.getTime() + 1),
            usableUntil: new Date(Date.now() + 60_000),
          });
          if (outcome === 'is refused') throw new TokenError('no more', 'invalid_grant');
          return userTokens(...requested);
        });
      expect((await waiting()).state).toBe('TASK_STATE_COMPLETED');
      expect(renewed).toHaveBeenCalledTimes(1);
      renewed.mockRestore();
      expect(agent.calls.at(-1)!.headers.authorization).toBe('Bearer given-anew');
      expect(await consents()).toHaveLength(1);
      expect(await ends()).toEqual([]);
    },
  );

  it('that was renewed does not end while it is not known whether it was stored', async () => {
    await consented();
    const ends = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    const store = hub.app.get(ConsentStore);
    const renew = store.renew.bind(store);
    const stored = jest.spyOn(store, 'renew').mockImplementationOnce(async (...all) => {
      await renew(...all);
      throw new CommitUnknown(new Error('Connection terminated unexpectedly'));
    });
    expect((await waiting()).state).toBe('TASK_STATE_FAILED');
    expect(ends).not.toHaveBeenCalled();
    ends.mockRestore();
    stored.mockRestore();
    expect((await waiting()).state).toBe('TASK_STATE_COMPLETED');
    expect(await accounts()).toHaveLength(2);
  });

  it('may come of a provider that is known by its endpoints alone', async () => {
    const endpoints = {
      issuer: null,
      authorizationUrl: `${counting.url}/auth`,
      tokenUrl: `${counting.url}/token`,
      scopes: ['payroll.read'],
    };
    await consented(endpoints);
    expect(agent.calls).toHaveLength(1);
    expect(agent.calls[0]!.headers.authorization).toMatch(/^Bearer ./);
  });

  it('may come with an ID token of an issuer that is elsewhere than the token endpoint', async () => {
    const gateway = await listenOnLoopback((request, response) => {
      void (async () => {
        const { authorization = '', 'content-type': type = '' } = request.headers;
        const body = Buffer.concat(await request.toArray());
        const headers = { authorization, 'content-type': type };
        const answer = await fetch(`${counting.url}/token`, { method: 'POST', headers, body });
        const text = await answer.text();
        expect(JSON.parse(text)).toHaveProperty('id_token');
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
      })().catch(() => response.destroy());
    });
    try {
      await consented({
        issuer: null,
        authorizationUrl: `${counting.url}/auth`,
        tokenUrl: `${gateway.url}/token`,
        scopes: ['openid', 'payroll.read'],
      });
      expect(agent.calls[0]!.headers.authorization).toMatch(/^Bearer ./);
    } finally {
      await gateway.close();
    }
  });
});

describe('a consent is not completed', () => {
  const untouched = async (task: Told, page: Shown, status: number): Promise<void> => {
    expect(page.status).toBe(status);
    expect(await consents()).toEqual([]);
    expect((await now(task.id)).state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(agent.calls).toHaveLength(0);
  };

  it('in another browser, and then still in the right one, once', async () => {
    const task = await waiting();
    const back = await callback(task);
    await untouched(task, await new ConsentBrowser().open(back), 403);
    expect((await browser.open(back)).status).toBe(200);
    await ended(task.id);
    expect((await browser.open(back)).status).toBe(400);
  });

  it('with an answer of another provider (RFC 9207), or none that says who it is', async () => {
    const task = await waiting();
    const wrong = new URL(await callback(task));
    wrong.searchParams.set('iss', 'https://evil.example');
    await untouched(task, await browser.open(wrong.href), 403);
    expect((await now(task.id)).text).toContain('not one of the provider that was asked');
    const without = new URL(await callback(task));
    without.searchParams.delete('iss');
    await untouched(task, await browser.open(without.href), 403);
  });

  it('with an answer of the provider that its agent had, which no other is told', async () => {
    const other = await ConsentServer.start(hub.url);
    try {
      const task = await waiting();
      const back = await callback(task);
      await hub.admin('PATCH', '/api/v1/agents/z', {
        authentication: {
          ...{ type: 'oauth2-authorization-code', issuer: null, ...CONSENT_CLIENT },
          ...{ authorizationUrl: `${other.url}/auth`, tokenUrl: `${other.url}/token` },
          scopes: ['openid'],
        },
      });
      const asked = jest.spyOn(hub.app.get(TokenServers), 'userTokens');
      await untouched(task, await browser.open(back), 403);
      expect(asked).not.toHaveBeenCalled();
      asked.mockRestore();
      expect((await now(task.id)).text).toContain('by another client, or at other servers');
      expect((await browser.consent(task.link, 'alice')).status).toBe(200);
      await ended(task.id);
      expect(other.grants).toEqual(['authorization_code']);
    } finally {
      await other.close();
    }
  });

  it('with an answer in which a parameter stands twice', async () => {
    const task = await waiting();
    const back = await callback(task);
    await untouched(task, await browser.open(`${back}&code=another`), 400);
    expect((await browser.open(back)).status).toBe(200);
    await ended(task.id);
  });

  it('with a state that is not known, or is no state', async () => {
    const task = await waiting();
    const back = new URL(await callback(task));
    for (const state of ['', 'x', 'A'.repeat(43), '<script>', 'A'.repeat(10_000)]) {
      back.searchParams.set('state', state);
      const page = await browser.open(back.href);
      expect([page.status, page.text.includes('<script>')]).toEqual([400, false]);
    }
    await untouched(task, await browser.open(`${hub.url}/oauth/callback`), 400);
  });

  it('for a principal that was disabled meanwhile, and its tokens end at the provider', async () => {
    const task = await waiting();
    const back = await callback(task);
    await hub.admin('POST', `/api/v1/principals/${principal}:disable`);
    const ends = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    const page = await browser.open(back);
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('disabled or was deleted'),
    ]);
    expect(await consents()).toEqual([]);
    expect(agent.calls).toHaveLength(0);
    expect(ends).toHaveBeenCalledTimes(1);
    await expect(ends.mock.results[0]!.value).resolves.toBeUndefined();
    ends.mockRestore();
  });

  it('while the database takes nothing: its tokens end at the provider, and the link asks again', async () => {
    const task = await waiting();
    const back = await callback(task);
    const ends = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    await run(`CREATE TRIGGER full BEFORE INSERT ON consents
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const page = await browser.open(back);
    await run('DROP TRIGGER full');
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('Nothing was kept')]);
    expect(ends).toHaveBeenCalledTimes(1);
    await expect(ends.mock.results[0]!.value).resolves.toBeUndefined();
    ends.mockRestore();
    expect(await consents()).toEqual([]);
    expect((await browser.consent(task.link, 'alice')).status).toBe(200);
    await ended(task.id);
  });

  it('while the database takes nothing, which is told also when its tokens cannot be ended', async () => {
    const back = await callback(await waiting());
    const consented = jest.spyOn(hub.app.get(UserConsents), 'complete');
    const ends = jest
      .spyOn(hub.app.get(TokenServers), 'revoke')
      .mockRejectedValue(new TypeError('no such thing'));
    await run(`CREATE TRIGGER full BEFORE INSERT ON consents
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    await browser.open(back);
    await run('DROP TRIGGER full');
    expect(ends).toHaveBeenCalledTimes(1);
    await expect(consented.mock.results[0]!.value).rejects.toThrow('the disk is full');
    ends.mockRestore();
    consented.mockRestore();
  });

  it('while it is not known whether the database has kept it: then its tokens do not end', async () => {
    const task = await waiting();
    const back = await callback(task);
    const ends = jest.spyOn(hub.app.get(TokenServers), 'revoke');
    const store = hub.app.get(ConsentStore);
    const put = store.put.bind(store);
    const stored = jest.spyOn(store, 'put').mockImplementationOnce(async (consent) => {
      await put(consent);
      throw new CommitUnknown(new Error('Connection terminated unexpectedly'));
    });
    const page = await browser.open(back);
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('is not known')]);
    expect(page.text).not.toContain('Nothing was kept');
    expect(ends).not.toHaveBeenCalled();
    ends.mockRestore();
    stored.mockRestore();
    // It was: the link sends what waits.
    expect((await browser.open(task.link)).text).toContain('There is a consent already');
    await ended(task.id);
    expect(await accounts()).toEqual(['alice']);
  });

  it('until its link is opened again, where it was kept but the task could not be told', async () => {
    const task = await waiting();
    const back = await callback(task);
    const requests = hub.app.get(ConsentRequests);
    const failing = jest.spyOn(requests, 'waiting').mockRejectedValueOnce(new Error('no database'));
    const page = await browser.open(back);
    failing.mockRestore();
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('consent was kept')]);
    expect(await consents()).toHaveLength(1);
    expect((await now(task.id)).state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect((await browser.open(task.link)).text).toContain('There is a consent already');
    await ended(task.id);
  });

  it.each(['start', 'take'] as const)(
    'while it is not known whether its step before that was kept (%s): nothing was',
    async (step) => {
      const task = await waiting();
      const open = async (): Promise<string> => (step === 'start' ? task.link : callback(task));
      const url = await open();
      const failing = jest
        .spyOn(hub.app.get(ConsentRequests), step)
        .mockRejectedValueOnce(new CommitUnknown(new Error('Connection terminated unexpectedly')));
      const page = await browser.open(url);
      failing.mockRestore();
      expect(page.text).toContain('Nothing was kept');
      await untouched(task, page, 503);
      await browser.consent(task.link, 'alice');
      await ended(task.id);
    },
  );

  it('by an answer to a link that a new one has replaced', async () => {
    const task = await waiting();
    const back = await callback(task);
    await hub.submit('more', { message: { taskId: task.id } }, { key });
    const again = await eventuallyAsks(task.id, task.link);
    await untouched(task, await browser.open(back), 400);
    await browser.consent(again.link, 'alice');
    await ended(task.id);
  });

  it('with a code that the provider does not know', async () => {
    const task = await waiting();
    const back = new URL(await callback(task));
    back.searchParams.set('code', 'A'.repeat(43));
    await untouched(task, await browser.open(back.href), 403);
    expect((await now(task.id)).text).toContain('invalid_grant');
  });

  it('while the provider is away, and then it is', async () => {
    const task = await waiting();
    const back = await callback(task);
    provider.isDown = true;
    await untouched(task, await browser.open(back), 403);
    expect((await now(task.id)).text).toContain('HTTP 503');
    provider.isDown = false;
    await browser.consent(task.link, 'alice');
    await ended(task.id);
  });

  it('by a link that nobody was given', async () => {
    for (const id of ['x', 'A'.repeat(43), encodeURIComponent('<script>'), 'A'.repeat(90)]) {
      expect((await browser.open(`${hub.url}/oauth/consent/${id}`)).status).toBe(404);
    }
  });

  it('after the task has been canceled', async () => {
    const task = await waiting();
    await hub.rpc('CancelTask', { id: task.id }, { key });
    await browser.consent(task.link, 'alice');
    expect((await now(task.id)).state).toBe('TASK_STATE_CANCELED');
    expect(agent.calls).toHaveLength(0);
  });
});

describe('the pages of a consent', () => {
  it('run and load nothing, are in no frame and in no cache, and keep the cookie to themselves', async () => {
    const { headers } = await browser.open((await waiting()).link);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toMatch(
      /^a2a-hub-consent-[\w-]{8}=[\w-]{43}; Path=\/; Max-Age=1200; HttpOnly; SameSite=Lax$/,
    );
  });

  it('set the same cookie whenever the link is opened while its attempt runs', async () => {
    const { link } = await waiting();
    const opened = await Promise.all([fetch(link), fetch(link)]);
    const cookies = opened.map(({ headers }) => headers.get('set-cookie'));
    expect(cookies).toEqual([expect.stringContaining('a2a-hub-consent-'), cookies[0]]);
  });

  it('that others open, or the same browser beside those of other links, end nothing that runs', async () => {
    const task = await waiting();
    await new ConsentBrowser().open(task.link);
    const stopAt = `${hub.url}/oauth/callback`;
    const back = (await browser.consent(task.link, 'alice', false, stopAt)).url;
    await new ConsentBrowser().open(task.link);
    await browser.open((await waiting()).link);
    expect((await browser.open(back)).status).toBe(200);
    await ended(task.id);
  });

  it('show names as text', async () => {
    const name = '<img src=x onerror=alert(1)> & "q"';
    await hub.admin('PATCH', `/api/v1/principals/${principal}`, { displayName: name });
    const { text } = await browser.open((await waiting()).link);
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;q&quot;');
  });

  it('are not shown to an address that asks for many links that are none, and to every other', async () => {
    const guessed = await startHub({ config: { server: { trustedProxies: ['127.0.0.1'] } } });
    const get = (path: string, address: string): Promise<Response> =>
      fetch(guessed.url + path, { headers: { 'x-forwarded-for': address } });
    const link = (n: number): string => `/oauth/consent/${String(n).padStart(43, 'x')}`;
    const statuses = async (count: number, addressOf: (n: number) => string): Promise<number[]> => {
      const found: number[] = [];
      for (let n = 0; n < count; n++) found.push((await get(link(n), addressOf(n))).status);
      return found;
    };
    // All at once, too.
    const many = Array.from({ length: 80 }, (_, n) => get(link(n), '192.0.2.1'));
    expect((await Promise.all(many)).map(({ status }) => status).sort()).toEqual([
      ...Array<number>(60).fill(404),
      ...Array<number>(20).fill(429),
    ]);
    const refused = await get(link(1), '192.0.2.1');
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([
      429,
      expect.any(Number),
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('Try again in');
    expect((await get('/oauth/callback?state=x&code=y', '192.0.2.1')).status).toBe(429);
    expect((await get('/oauth/callback?state=x&code=y', '192.0.2.2')).status).toBe(400);
    // One network of 64 bits is one party.
    const inNetwork = (n: number): string => `2001:db8::${n.toString(16)}`;
    expect((await statuses(61, inNetwork)).at(-1)).toBe(429);
    expect((await get(link(1), '2001:db8:0:1::1')).status).toBe(404);
    await guessed.close();
  });

  it('are shown as often as people open them, and no more to who floods', async () => {
    const [task, other] = [await waiting(), await waiting()];
    const back = await callback(task);
    const opened = await Promise.all(Array.from({ length: 110 }, () => fetch(task.link)));
    // The browser has opened it as well.
    expect(opened.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(99).fill(200),
      ...Array<number>(11).fill(429),
    ]);
    const refused = await fetch(task.link);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('opened too often');
    expect((await fetch(other.link)).status).toBe(200);
    expect((await browser.open(back)).status).toBe(200);
    await ended(task.id);
  });

  it('bound what one network opens in a minute, valid or not', async () => {
    const flooded = await startHub({ config: { server: { trustedProxies: ['127.0.0.1'] } } });
    const visit = async (address: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address };
      return (await fetch(`${flooded.url}/oauth/consent/x`, { headers })).status;
    };
    jest.spyOn(flooded.app.get(TaskConsents), 'show').mockResolvedValue({ kind: 'done' });
    for (let n = 0; n < 600; n += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, () => visit('192.0.2.1')));
      expect(new Set(some)).toEqual(new Set([200]));
    }
    expect([await visit('192.0.2.1'), await visit('192.0.2.2')]).toEqual([429, 200]);
    await flooded.close();
  });

  it('do not answer HEAD, which opens nothing', async () => {
    const { link } = await waiting();
    expect((await fetch(link, { method: 'HEAD' })).status).toBeGreaterThanOrEqual(404);
  });
});

/** The task asks with another link than this. */
function eventuallyAsks(id: string, link: string): Promise<Told> {
  return eventually(async () => {
    const task = await now(id);
    expect(task.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(task.link).not.toBe(link);
    return task;
  });
}
