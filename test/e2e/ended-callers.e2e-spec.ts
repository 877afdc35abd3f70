import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentRegistry } from '../../src/agents/index.js';
import { RegistrationCheck } from '../../src/agents/registration/registration-check.js';
import { WebhookRegistration } from '../../src/push/registration/webhook-registration.js';
import { RoutingService } from '../../src/routing/routing.service.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HttpAnswer, type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { WebhookSink } from '../support/webhook-sink.js';

interface Key {
  readonly key: string;
  readonly principalId: string;
}

/** A call that waits for another server. */
interface Waiting<T> {
  readonly answer: Promise<T>;
  /** Lets it go on. */
  readonly goOn: () => void;
}

let hub: Hub;
let agent: RunningAgent;
let sink: WebhookSink;
let caller: Key;
let colleague: Key;
/** The agent ends its tasks when the test says so. */
let finish: () => void;
let finished: Promise<void>;
let works = 0;

beforeAll(async () => {
  agent = await startSdkAgent({
    name: 'clerk',
    execute: async (turn) => {
      works += 1;
      turn.task().working('thinking');
      if (turn.text === 'wait') await finished;
      if (turn.text === 'question') turn.askForInput('which one?');
      else turn.complete();
    },
  });
  hub = await startHub({ config: { routing: { defaultAgent: 'clerk' } } });
  await hub.registerAgent(agent.url, { id: 'clerk' });
});

beforeEach(async () => {
  finished = new Promise((resolve) => (finish = resolve));
  sink = await WebhookSink.start();
  caller = await newKey(['a2a', 'push', 'tasks:organization', 'agents:organization']);
  colleague = await newKey(['a2a', 'push']);
});

afterEach(async () => {
  finish();
  await sink.close();
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

const api = (method: string, path: string, body?: object, key?: string): Promise<HttpAnswer> =>
  hub.admin(method, `/api/v1/${path}`, body, key);

async function newKey(scopes: readonly string[]): Promise<Key> {
  const made = await api('POST', 'keys', { name: 'of a person', organization: 'acme', scopes });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.body as Key;
}

/** Has a call wait in the method of a service, before that does anything. */
async function waitingIn<T, N extends string>(
  service: Readonly<Record<N, (...args: never[]) => unknown>>,
  method: N,
  call: () => Promise<T>,
): Promise<Waiting<T>> {
  const real = service[method];
  let goOn!: () => void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const reached = new Promise<void>((resolve) => {
    const waits = async (...args: never[]): Promise<unknown> => {
      Object.assign(service, { [method]: real });
      resolve();
      await gate;
      return real.apply(service, args);
    };
    Object.assign(service, { [method]: waits });
  });
  const answer = call();
  await reached;
  return { answer, goOn };
}

const inCheck = <T>(call: () => Promise<T>): Promise<Waiting<T>> =>
  waitingIn(hub.app.get(WebhookRegistration, { strict: false }), 'address', call);

async function deletePrincipal({ principalId }: Key): Promise<void> {
  await api('POST', `principals/${principalId}:disable`);
  expect((await api('DELETE', `principals/${principalId}`)).status).toBe(204);
}

async function deleteOrganization(): Promise<void> {
  const acme = { organization: 'acme', confirm: 'acme', block: false };
  const { body } = await api('POST', 'data/deletions', acme);
  await eventually(async () => {
    expect((await api('GET', `data/deletions/${String(body.id)}`)).body.state).toBe('done');
  }, 20_000);
}

/** Long enough for anything that is due to be sent. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

async function refused({ answer, goOn }: Waiting<HttpAnswer>): Promise<void> {
  goOn();
  const { status, text } = await answer;
  expect([status, text]).toEqual([401, expect.stringContaining('no longer valid')]);
}

describe('a caller whose principal is deleted while its call waits', () => {
  it('makes no subscription', async () => {
    const wanted = { url: sink.url(), scope: 'organization' };
    const waiting = await inCheck(() => api('POST', 'push/subscriptions', wanted, caller.key));
    await deletePrincipal(caller);
    await refused(waiting);
    await hub.send('go', {}, { key: colleague.key });
    await aWhile();
    expect(sink.received).toEqual([]);
  });

  it('sets no webhook on a task of a colleague', async () => {
    const { id } = await hub.submit('wait', {}, { key: colleague.key });
    const wanted = { taskId: id, url: sink.url() };
    const setting = await inCheck(() => api('POST', 'push/configs', wanted, caller.key));
    const byA2a = await inCheck(() =>
      hub.rpc('CreateTaskPushNotificationConfig', wanted, { key: caller.key }).then(
        () => 'set',
        () => 'refused',
      ),
    );
    await deletePrincipal(caller);
    await refused(setting);
    byA2a.goOn();
    expect(await byA2a.answer).toBe('refused');
    finish();
    await aWhile();
    expect(sink.received).toEqual([]);
  });

  it('has no webhook of a colleague sent elsewhere', async () => {
    const { id } = await hub.submit('wait', {}, { key: colleague.key });
    const own = { taskId: id, url: sink.url('/own') };
    const { body } = await api('POST', 'push/configs', own, colleague.key);
    const path = `push/configs/${String(body.id)}`;
    const elsewhere = { url: sink.url('/elsewhere') };
    const waiting = await inCheck(() => api('PATCH', path, elsewhere, caller.key));
    await deletePrincipal(caller);
    await refused(waiting);
    finish();
    await aWhile();
    expect(sink.at('/elsewhere')).toEqual([]);
  });
});

describe('a caller whose organization is deleted while its call waits', () => {
  it('begins no task', async () => {
    const routing = hub.app.get(RoutingService, { strict: false });
    const before = works;
    const sending = await waitingIn(routing, 'route', () =>
      hub.submit('of the tenant of before', {}, { key: caller.key }).then(
        () => 'sent',
        () => 'refused',
      ),
    );
    await deleteOrganization();
    sending.goOn();
    expect(await sending.answer).toBe('refused');
    const next = await newKey(['a2a', 'tasks:organization']);
    expect(await hub.rpc('ListTasks', {}, { key: next.key })).toMatchObject({ tasks: [] });
    expect(works).toBe(before);
  });

  it('makes no subscription for whoever has its name next', async () => {
    const wanted = { url: sink.url(), scope: 'organization' };
    const waiting = await inCheck(() => api('POST', 'push/subscriptions', wanted, caller.key));
    await deleteOrganization();
    const next = await newKey(['a2a']);
    await refused(waiting);
    await hub.send('go', {}, { key: next.key });
    await aWhile();
    expect(sink.received).toEqual([]);
  });

  it('registers no agent', async () => {
    const check = hub.app.get(RegistrationCheck, { strict: false });
    const card = `${agent.url}/.well-known/agent-card.json`;
    const wanted = { cardUrl: card, id: 'private' };
    const registering = await waitingIn(check, 'reachTokenServer', () =>
      api('POST', 'agents', wanted, caller.key),
    );
    await deleteOrganization();
    await refused(registering);
    expect((await api('GET', 'agents/private')).status).toBe(404);
  });
});

it('adds no message to a task once its principal is disabled', async () => {
  const { task } = await hub.send('question', {}, { key: caller.key });
  const { id } = task as JsonObject;
  const before = works;
  const registry = hub.app.get(AgentRegistry, { strict: false });
  const following = await waitingIn(registry, 'prepare', () =>
    hub.submit('that one', { message: { taskId: id } }, { key: caller.key }).then(
      () => 'sent',
      () => 'refused',
    ),
  );
  await api('POST', `principals/${caller.principalId}:disable`);
  following.goOn();
  expect(await following.answer).toBe('refused');
  const { body } = await api('GET', `tasks/${String(id)}`);
  expect(body).toMatchObject({ state: 'input-required' });
  expect(works).toBe(before);
});

it('keeps no credentials for an agent once its principal is deleted, nor for the next agent of its id', async () => {
  const card = `${agent.url}/.well-known/agent-card.json`;
  const own = { cardUrl: card, id: 'called' };
  const put = (key: string): Promise<HttpAnswer> =>
    api('PUT', 'agents/called/credentials/acme', { credentials: { 'x-key': 'k' } }, key);
  expect((await api('POST', 'agents', own)).status).toBe(201);
  const other = await newKey(['agents:organization']);
  const check = hub.app.get(RegistrationCheck, { strict: false });
  const ofOther = await waitingIn(check, 'reachTokenServer', () => put(other.key));
  await api('DELETE', 'agents/called');
  expect((await api('POST', 'agents', own)).status).toBe(201);
  ofOther.goOn();
  expect((await ofOther.answer).status).toBe(404);
  const putting = await waitingIn(check, 'reachTokenServer', () => put(caller.key));
  await deletePrincipal(caller);
  await refused(putting);
  expect((await api('GET', 'agents/called/credentials/acme')).status).toBe(404);
});

it('changes no agent once its principal is deleted', async () => {
  const card = `${agent.url}/.well-known/agent-card.json`;
  const own = { cardUrl: card, id: 'own' };
  expect((await api('POST', 'agents', own, caller.key)).status).toBe(201);
  const check = hub.app.get(RegistrationCheck, { strict: false });
  const patching = await waitingIn(check, 'reachTokenServer', () =>
    api('PATCH', 'agents/own', { priority: 7 }, caller.key),
  );
  await deletePrincipal(caller);
  await refused(patching);
  expect((await api('GET', 'agents/own')).body).toMatchObject({ priority: 0 } as JsonObject);
});
