import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { FakeVault } from '../support/fake-vault.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';
import { TokenServer } from '../support/token-server.js';
import { WebhookSink } from '../support/webhook-sink.js';

let hub: Hub;
let vault: FakeVault;
let agent: ScriptedAgent;
let sink: WebhookSink;
let folder: string;
let team: string;
let version = 0;

/** As Kubernetes puts a new version of a Secret in place. */
function mount(files: Readonly<Record<string, string>>): void {
  const directory = `..v${++version}`;
  mkdirSync(join(folder, directory));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, directory, name), text);
    if (version === 1) symlinkSync(join('..data', name), join(folder, name));
  }
  symlinkSync(directory, join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hub-mounted-'));
  mount({ token: 'first-secret', card: 'card-secret' });
  [vault, agent, sink] = await Promise.all([
    FakeVault.start(),
    ScriptedAgent.start(),
    WebhookSink.start(),
  ]);
  vault.tokens.add('hvs.hub');
  vault.secrets.set('agents/books', { token: 'vault-secret' });
  vault.secrets.set('teams/acme/key', { token: 'acme-secret' });
  vault.secrets.set('hooks', { token: 'hook-secret' });
  process.env['HUB_TEST_AGENT_TOKEN'] = 'variable-secret';
  hub = await startHub({
    config: {
      push: { scheduleMs: [50, 100, 100, 100], jitter: 0 },
      secrets: {
        refreshMs: 1000,
        vault: { address: vault.url, auth: { token: 'hvs.hub' } },
        references: {
          env: [{ allow: 'HUB_TEST_AGENT_TOKEN', organizations: [] }],
          files: [{ allow: folder, organizations: [] }],
          vault: [
            { allow: 'agents', organizations: [] },
            { allow: 'hooks', organizations: [] },
            { allow: 'teams/{organization}', organizations: [] },
          ],
        },
      },
    },
  });
  team = await hub.createKey({ organization: 'acme', scopes: ['agents:organization'] });
});
afterEach(async () => {
  await hub.admin('DELETE', '/api/v1/agents/z');
  agent.calls.length = 0;
});
afterAll(async () => {
  delete process.env['HUB_TEST_AGENT_TOKEN'];
  await hub.close();
  await Promise.all([vault.close(), agent.close(), sink.close()]);
  rmSync(folder, { recursive: true });
});

const body = (credentials: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'z',
  cardUrl: agent.url,
  credentials,
  ...more,
});
const register = (credentials: JsonObject, more: JsonObject = {}, key?: string) =>
  hub.admin('POST', '/api/v1/agents', body(credentials, more), key);
const bearer = (secretRef: string): JsonObject => ({
  authorization: { secretRef, prefix: 'Bearer ' },
});
const say = () => hub.send('hi', { tenant: 'z' });
const sent = () => agent.calls.at(-1)?.headers.authorization;

describe('the secrets of an agent', () => {
  it('are read of a file, and again once it is another one; no answer holds them', async () => {
    const registered = await register(bearer(`file:${folder}/token`), {
      cardHeaders: { 'x-card': { secretRef: `file:${folder}/card` } },
    });
    expect(registered.status).toBe(201);
    expect(registered.body.references).toEqual([
      {
        in: 'credentials',
        header: 'authorization',
        reference: `file:${folder}/token`,
        isReadable: true,
        problem: null,
      },
      {
        in: 'cardHeaders',
        header: 'x-card',
        reference: `file:${folder}/card`,
        isReadable: true,
        problem: null,
      },
    ]);
    await say();
    expect(sent()).toBe('Bearer first-secret');
    mount({ token: 'second-secret', card: 'card-secret' });
    await eventually(async () => {
      await say();
      expect(sent()).toBe('Bearer second-secret');
    });
    const shown = await hub.admin('GET', '/api/v1/agents/z');
    const audit = await hub.admin('GET', '/api/v1/audit?limit=100');
    const all = [registered, shown, audit].map(({ text }) => text).join();
    expect(all).not.toMatch(/first-secret|second-secret|card-secret/);
  });

  it('are read of Vault, changed there, and missed where they are taken away', async () => {
    await register(bearer('vault:agents/books#token'));
    await say();
    expect(sent()).toBe('Bearer vault-secret');
    vault.secrets.set('agents/books', { token: 'rotated-secret' });
    await eventually(async () => {
      await say();
      expect(sent()).toBe('Bearer rotated-secret');
    });
    vault.secrets.delete('agents/books');
    await eventually(async () => {
      const { body: shown } = await hub.admin('GET', '/api/v1/agents/z');
      expect(shown.references[0]).toMatchObject({
        isReadable: false,
        problem: expect.stringMatching(/vault:agents\/books#token is not in Vault/),
      });
    });
    const before = agent.calls.length;
    await say().catch(() => undefined);
    // Nothing goes out without the credentials it should have.
    expect(agent.calls.length).toBe(before);
    vault.secrets.set('agents/books', { token: 'back-secret' });
    await eventually(async () => {
      await say();
      expect(sent()).toBe('Bearer back-secret');
    });
  });

  describe.each([false, true])('that an agent refuses (streaming: %s)', (streaming) => {
    let strict: ScriptedAgent;
    let right = '';
    const place = `agents/strict-${streaming}`;

    const takes = (call: ScriptedCall, answer: () => void): void =>
      call.headers.authorization === `Bearer ${right}`
        ? answer()
        : void call.send(401, 'no', 'text/plain');
    const done = (call: ScriptedCall): Json => ({
      task: { id: call.text, contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
    });

    beforeAll(async () => {
      strict = await ScriptedAgent.start({
        streaming,
        handlers: {
          SendMessage: (call) => takes(call, () => call.result(done(call))),
          SendStreamingMessage: (call) => takes(call, () => call.event(done(call)).end()),
        },
      });
    });
    afterAll(() => strict.close());

    const stateOf = async (): Promise<unknown> =>
      (await hub.send('hi', { tenant: 'strict' }))['task']['status']['state'];
    const proofs = () => strict.calls.splice(0).map(({ headers }) => headers.authorization);

    it('are read again at once, and the call is made once more if they are others', async () => {
      right = 'one';
      vault.secrets.set(place, { token: right });
      const credentials = bearer(`vault:${place}#token`);
      await hub.admin('POST', '/api/v1/agents', { id: 'strict', cardUrl: strict.url, credentials });
      expect(await stateOf()).toBe('TASK_STATE_COMPLETED');
      expect(proofs()).toEqual(['Bearer one']);
      right = 'two';
      vault.secrets.set(place, { token: right });
      expect(await stateOf()).toBe('TASK_STATE_COMPLETED');
      expect(proofs().at(-1)).toBe('Bearer two');
      // The agent alone has another one.
      right = 'three';
      expect(await stateOf()).toBe('TASK_STATE_FAILED');
      expect(proofs()).toEqual(['Bearer two']);
      await hub.admin('DELETE', '/api/v1/agents/strict');
    });
  });

  it('are read for one organization alone where it has some of its own', async () => {
    mount({ token: 'file-secret', card: 'card-secret' });
    await register(bearer('vault:agents/books#token'));
    const path = '/api/v1/agents/z/credentials/acme';
    const put = (secretRef: string, key?: string) =>
      hub.admin('PUT', path, { credentials: bearer(secretRef) }, key);
    const acme = await hub.createKey({ organization: 'acme' });
    const sayAs = async (key?: string) => {
      await hub.send('hi', { tenant: 'z' }, key === undefined ? {} : { key });
      return sent();
    };
    const made = await put(`file:${folder}/token`);
    expect(made.body.references).toMatchObject([
      { in: 'credentials', header: 'authorization', isReadable: true },
    ]);
    expect(await sayAs(acme)).toBe('Bearer file-secret');
    expect(await sayAs()).toBe('Bearer back-secret');
    mount({ token: 'file-secret-2', card: 'card-secret' });
    await eventually(async () => expect(await sayAs(acme)).toBe('Bearer file-secret-2'));
    // A team may name its own secrets, and no others.
    expect((await put('vault:agents/books#token', team)).status).toBe(400);
    expect((await put('vault:teams/acme/key#token', team)).status).toBe(200);
    expect(await sayAs(acme)).toBe('Bearer acme-secret');
    vault.secrets.set('teams/acme/key', {});
    await eventually(async () => {
      const { body: shown } = await hub.admin('GET', path);
      expect(shown.references[0]).toMatchObject({ isReadable: false });
    });
    const calls = agent.calls.length;
    await sayAs(acme);
    expect(agent.calls).toHaveLength(calls);
    expect(await sayAs()).toBe('Bearer back-secret');
    vault.secrets.set('teams/acme/key', { token: 'acme-secret' });
    expect((await put('env:HUB_TEST_AGENT_TOKEN')).status).toBe(200);
    expect(await sayAs(acme)).toBe('Bearer variable-secret');
  });

  it('may be set before their source has them', async () => {
    const { status, body: made } = await register(bearer('vault:agents/later#token'));
    expect([status, made.references[0].isReadable]).toEqual([201, false]);
    vault.secrets.set('agents/later', { token: 'later-secret' });
    await eventually(async () => {
      await say();
      expect(sent()).toBe('Bearer later-secret');
    });
  });

  it('are texts where they are written as texts, whatever they begin with', async () => {
    await register({ authorization: 'env:HOME' });
    await say();
    expect(sent()).toBe('env:HOME');
  });

  it.each([
    ['env:HOME', 'secrets.references.env'],
    ['env:A2A_HUB__SECRETS__KEYS', 'secrets.references.env'],
    ['file:/etc/passwd', 'secrets.references.files'],
    ['file:/run/../etc/passwd', 'without . and ..'],
    ['vault:sys/raw#x', 'secrets.references.vault'],
    ['vault:agents-of-others/x#y', 'secrets.references.vault'],
    ['aws:books', 'secrets.references.aws'],
    ['https://vault/x', 'must be a reference'],
  ])('are not %s, which the settings do not allow', async (secretRef, text) => {
    for (const list of ['credentials', 'cardHeaders']) {
      const refused = await register({}, { [list]: { 'x-key': { secretRef } } });
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0].field).toBe(`${list}.x-key`);
      expect(refused.text).toContain(text);
    }
    await register({});
    const patched = await hub.admin('PATCH', '/api/v1/agents/z', {
      credentials: { 'x-key': { secretRef } },
    });
    expect([patched.status, patched.body.errors[0].field]).toEqual([400, 'credentials.x-key']);
    expect(agent.calls).toEqual([]);
  });

  it('of a team are those of its organization', async () => {
    const refused = await register(bearer('vault:agents/books#token'), {}, team);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('for the organization acme');
    const others = await register(bearer('vault:teams/other/key#token'), {}, team);
    expect(others.status).toBe(400);
    const own = await register(bearer('vault:teams/acme/key#token'), {}, team);
    expect([own.status, own.body.references[0].isReadable]).toEqual([201, true]);
    const key = await hub.createKey({ organization: 'acme' });
    await hub.send('hi', { tenant: 'z' }, { key });
    expect(sent()).toBe('Bearer acme-secret');
    const patched = await hub.admin(
      'PATCH',
      '/api/v1/agents/z',
      { credentials: bearer(`file:${folder}/token`) },
      team,
    );
    expect(patched.status).toBe(400);
  });

  it('do not go to another server than they were given for', async () => {
    const other = await ScriptedAgent.start();
    await register(bearer('vault:teams/acme/key#token'), {}, team);
    const moved = await hub.admin(
      'PATCH',
      '/api/v1/agents/z',
      { endpointOverride: `${other.url}/rpc` },
      team,
    );
    expect([moved.status, moved.body.credentials]).toEqual([200, []]);
    await other.close();
  });
});

describe('the client secret of an agent', () => {
  let server: TokenServer;
  beforeAll(async () => {
    server = await TokenServer.start('client_secret_post');
    vault.secrets.set('agents/client', { secret: server.clientSecret });
  });
  afterAll(() => server.close());

  const authentication = (secretRef: unknown, changes: JsonObject = {}): JsonObject => ({
    type: 'oauth2-client-credentials',
    tokenUrl: server.tokenUrl,
    clientId: server.clientId,
    clientSecret: { secretRef },
    clientAuthentication: 'client_secret_post',
    scopes: ['webhooks'],
    ...changes,
  });

  it('is read of Vault, and asked with again when it is another one there', async () => {
    const registered = await register(
      {},
      { authentication: authentication('vault:agents/client#secret') },
    );
    expect(registered.body.references).toEqual([
      {
        in: 'authentication',
        header: 'clientSecret',
        reference: 'vault:agents/client#secret',
        isReadable: true,
        problem: null,
      },
    ]);
    expect(registered.body.authentication.clientSecret).toBeUndefined();
    await say();
    expect(await server.knows(sent())).toBe(true);
    const first = sent();
    // The server no longer takes it, so no token may be asked for with the one before.
    vault.secrets.set('agents/client', { secret: 'another' });
    await eventually(async () => {
      const before = server.requests;
      await say();
      expect(server.requests).toBeGreaterThan(before);
    });
    const calls = agent.calls.length;
    await say();
    expect(agent.calls.length).toBe(calls);
    vault.secrets.set('agents/client', { secret: server.clientSecret });
    // The refusal of the server is enough to read it again.
    await eventually(async () => {
      await say();
      expect(agent.calls.length).toBeGreaterThan(calls);
    });
    expect(sent()).toBe(first);
  });

  it.each([{}, { secret: 'two\nlines' }])('is waited for while its source has %j', async (held) => {
    vault.secrets.set('agents/missing', held);
    const registered = await register(
      {},
      { authentication: authentication('vault:agents/missing#secret') },
    );
    expect(registered.status).toBe(201);
    const requests = server.requests;
    await say();
    expect([agent.calls.length, server.requests]).toEqual([0, requests]);
    const { body: shown, text } = await hub.admin('GET', '/api/v1/agents/z');
    expect(shown.health.lastError).toContain('secret');
    expect(text).not.toContain('two');
  });

  it('of a team is one of its organization', async () => {
    const fields = { authentication: authentication('vault:agents/client#secret') };
    const refused = await register({}, fields, team);
    expect([refused.status, refused.body.errors[0].field]).toEqual([
      400,
      'authentication.clientSecret',
    ]);
    const own = await register(
      {},
      { authentication: authentication('vault:teams/acme/key#token') },
      team,
    );
    expect(own.status).toBe(201);
    const patched = await hub.admin('PATCH', '/api/v1/agents/z', fields, team);
    expect([patched.status, patched.body.errors[0].field]).toEqual([
      400,
      'authentication.clientSecret',
    ]);
  });

  it.each([
    ['secrets.references.env', { secretRef: 'env:HOME' }],
    ['has no prefix', { secretRef: 'vault:agents/client#secret', prefix: 'x' }],
    ['has the member more', { secretRef: 'vault:agents/client#secret', more: 1 }],
    ['must be a string, or', {}],
    ['must be a text', ['x']],
    ['must be a text of at most 4096', 'x'.repeat(4097)],
    ['control character', '\u0001["vault:agents/client#secret","","configuration"]'],
  ])('is refused: it %s', async (text, clientSecret) => {
    const refused = await register(
      {},
      { authentication: authentication('', { clientSecret: clientSecret as JsonObject }) },
    );
    expect([refused.status, refused.body.errors[0].field]).toEqual([
      400,
      'authentication.clientSecret',
    ]);
    expect(refused.text).toContain(text);
  });
});

describe('the secret of an auth profile', () => {
  const PROFILES = '/api/v1/push/auth-profiles';
  const profile = (fields: JsonObject) =>
    hub.admin('POST', PROFILES, { name: 'hooks', urls: [`http://127.0.0.1`], ...fields });

  it('is read of Vault, and shown by where it is kept', async () => {
    const made = await profile({
      scheme: 'bearer',
      organization: null,
      secretRef: 'vault:hooks#token',
      automatic: true,
      urls: [sink.url('/')],
    });
    expect(made.status).toBe(201);
    expect(made.body.secret).toMatchObject({ reference: 'vault:hooks#token', isReadable: true });
    await register({});
    agent.handlers['*'] = (call) =>
      call.result({ task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } });
    const { id } = await hub.submit('x', { tenant: 'z' });
    await hub.waitForTask(String(id));
    const hook = (configId: string, path: string) =>
      hub.rpc('CreateTaskPushNotificationConfig', {
        taskId: id,
        id: configId,
        url: sink.url(path),
      });
    await hook('one', '/one');
    const one = await sink.waitFor(({ path }) => path === '/one');
    expect(one.headers.authorization).toBe('Bearer hook-secret');
    const rotated = await hub.admin('POST', `${PROFILES}/${made.body.id}:rotate`, {
      secretRef: 'vault:hooks#next',
    });
    expect(rotated.body.secret).toMatchObject({
      reference: 'vault:hooks#next',
      isReadable: false,
      problem: expect.stringContaining('has no member next'),
    });
    expect(rotated.body.issuedSecret).toBeNull();
    await hub.admin('DELETE', `${PROFILES}/${made.body.id}?force=true`);
  });

  it.each([
    [{ scheme: 'bearer', secretRef: 'env:HOME' }, 'secrets.references.env'],
    [{ scheme: 'bearer', secretRef: 'vault:hooks' }, 'vault:PATH#FIELD'],
    [{ scheme: 'bearer', secretRef: 'vault:hooks#a', secret: 'x' }, 'not given together'],
    [{ scheme: 'ed25519', secretRef: 'vault:hooks#a' }, 'is not for the scheme ed25519'],
    [{ scheme: 'jwt', secretRef: 'vault:hooks#a' }, 'is not for the scheme jwt'],
  ])('is refused as %j', async (fields, text) => {
    const refused = await profile(fields);
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'secretRef']);
    expect(refused.text).toContain(text);
  });
});
