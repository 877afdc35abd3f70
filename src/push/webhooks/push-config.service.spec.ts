import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Scope } from '../../common/scope.js';
import type { Clock } from '../../common/clock.js';
import type { WebhookEgress } from '../../common/egress/webhook-egress.js';
import { HubError } from '../../common/hub-error.js';
import type { Tx, Work } from '../../database/sql.js';
import { SystemIdSource } from '../../common/ids.js';
import { SecretBox } from '../../common/secret-box.js';
import type { HubSettings } from '../../database/hub-settings.js';
import { TaskPushNotificationConfig, TaskState } from '../../protocol/a2a.js';
import type { CallContext, PresentCallers } from '../../auth/index.js';
import type { TaskRecord, TaskStore } from '../../tasks/index.js';
import type { KnownProfiles } from '../auth/known-profiles.js';
import { PushConfigService } from './push-config.service.js';
import type { AttachOptions, WebhookStore } from './webhook-store.js';
import type { TaskWebhook, TaskWebhookDraft } from '../registration/webhook.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import { WebhookRegistration } from '../registration/webhook-registration.js';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const SECRETS = new SecretBox([{ id: 'k', key: Buffer.alloc(32, 'key').toString('base64') }]);

const NO_CHECK = (): readonly never[] => [];

/** Configs in memory; what is attached is recorded as it came. */
class MemoryConfigs {
  readonly configs: TaskWebhook[] = [];
  readonly options: AttachOptions[] = [];

  set(taskId: string, draft: TaskWebhookDraft, options: AttachOptions): Promise<TaskWebhook> {
    this.options.push(options);
    const config: TaskWebhook = {
      ...draft,
      scope: 'task',
      source: 'api',
      setBy: draft.setBy ?? null,
      subscriptionId: null,
      taskId,
      configId: draft.configId ?? 'minted',
      state: 'active',
      stateReason: null,
      failingSince: null,
      lastFailureAt: null,
      createdAt: NOW,
      updatedAt: NOW,
    };
    this.configs.push(config);
    return Promise.resolve(config);
  }

  // oxlint-disable-next-line require-yield -- there is no database
  *setIn(_tx: Tx, taskId: string, draft: TaskWebhookDraft, options: AttachOptions): Work<void> {
    void this.set(taskId, draft, options);
  }

  ofTask(taskId: string, configId: string): Promise<TaskWebhook | undefined> {
    return Promise.resolve(
      this.configs.find((each) => each.taskId === taskId && each.configId === configId),
    );
  }

  listOfTask(taskId: string, limit: number, afterId: string | null): Promise<TaskWebhook[]> {
    const all = this.configs.filter(
      (each) => each.taskId === taskId && each.streamId > (afterId ?? ''),
    );
    return Promise.resolve(all.slice(0, limit));
  }

  removeOfTask(taskId: string, configId: string): Promise<boolean> {
    const index = this.configs.findIndex(
      (each) => each.taskId === taskId && each.configId === configId,
    );
    if (index >= 0) this.configs.splice(index, 1);
    return Promise.resolve(index >= 0);
  }
}

function context(changes: Partial<CallContext> = {}): CallContext {
  return {
    principal: { id: 'alice', organization: 'acme', scopes: new Set<Scope>(['a2a']) },
    version: '1.0',
    agentId: undefined,
    extensions: [],
    activated: new Set(),
    traceparent: undefined,
    hops: [],
    idempotencyKey: undefined,
    lastEventId: undefined,
    ...changes,
  };
}

function config(changes: object = {}): TaskPushNotificationConfig {
  return TaskPushNotificationConfig.fromJSON({
    taskId: 't1',
    url: 'https://hooks.example/a',
    ...changes,
  });
}

describe('PushConfigService', () => {
  let configs: MemoryConfigs;
  let service: PushConfigService;
  let notifications: number;
  let checked: () => Promise<{ verified: boolean }>;

  const record = {
    id: 't1',
    principalId: 'alice',
    organization: 'acme',
    state: TaskState.TASK_STATE_WORKING,
    traceparent: '00-a-b-01',
    route: { chosen: [{ agentId: 'echo' }, { agentId: 'fallback' }] },
  } as unknown as TaskRecord;

  beforeEach(() => {
    configs = new MemoryConfigs();
    checked = () => Promise.resolve({ verified: true });
    notifications = 0;
    const wakeup = new PushWakeup();
    wakeup.onNotify(() => notifications++);
    type Seen = { principalId?: string };
    const find = (id: string, { principalId }: Seen): TaskRecord | undefined =>
      id === 't1' && principalId === 'alice' ? record : undefined;
    const tasks = {
      record: (id: string, visibility: Seen) => Promise.resolve(find(id, visibility)),
      withoutContents: (id: string, visibility: Seen) => {
        const found = find(id, visibility);
        return Promise.resolve(found && { record: found, delegations: [{ agentId: 'echo' }] });
      },
    };
    service = new PushConfigService(
      tasks as unknown as TaskStore,
      configs as unknown as WebhookStore,
      new WebhookRegistration(
        { check: () => checked() } as unknown as WebhookEgress,
        SECRETS,
        { fingerprint: (parts: unknown) => Promise.resolve(JSON.stringify(parts)) } as HubSettings,
        { require: () => Promise.resolve() } as unknown as KnownProfiles,
      ),
      { now: () => NOW } as Clock,
      new SystemIdSource(),
      wakeup,
      { rulesFor: () => null, refuseOperation: () => undefined },
      { checkOf: () => NO_CHECK, writeCheckOf: () => NO_CHECK } as unknown as PresentCallers,
    );
  });

  async function refused(promise: Promise<unknown>): Promise<HubError> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(HubError);
    return error as HubError;
  }

  it('keeps id, address, version and secrets, and answers without the secrets', async () => {
    const answer = await service.create(
      config({
        id: 'mine',
        token: 'tok',
        authentication: { scheme: 'Bearer', credentials: 'abc' },
      }),
      context({ version: '0.3' }),
    );
    expect(answer).toEqual({
      tenant: '',
      id: 'mine',
      taskId: 't1',
      url: 'https://hooks.example/a',
      token: '',
      authentication: { scheme: 'Bearer', credentials: '' },
    });
    expect(configs.configs[0]).toMatchObject({
      version: '0.3',
      authScheme: 'bearer',
      endpoint: 'acme https://hooks.example:443',
      traceparent: '00-a-b-01',
      verified: true,
    });
    const { sealedCredentials, sealedToken } = configs.configs[0]!;
    const secrets = [sealedCredentials, sealedToken].map((sealed) => SECRETS.open(sealed!));
    expect(secrets).toEqual(['abc', 'tok']);
    expect(configs.options).toEqual([{ now: NOW, repeated: 'present-state' }]);
    expect(notifications).toBe(1);
  });

  it('keeps every scheme that a 0.x client named', async () => {
    const raw = { schemes: ['Digest', 'Bearer'], credentials: 'abc' };
    await service.create(
      config({ authentication: { scheme: 'Digest', credentials: 'abc' } }),
      context({ version: '0.3' }),
      raw,
    );
    expect(configs.configs[0]).toMatchObject({
      authScheme: 'bearer',
      authNames: ['Digest', 'Bearer'],
    });
  });

  it("answers for a stranger's task and an unknown one alike, on every operation", async () => {
    const stranger = context({
      principal: { id: 'bob', organization: 'acme', scopes: new Set<Scope>(['a2a']) },
    });
    const otherAgent = context({ agentId: 'somebody-else' });
    for (const [taskId, ctx] of [
      ['t1', stranger],
      ['t1', otherAgent],
      ['t2', context()],
    ] as const) {
      const calls = [
        service.create(config({ taskId }), ctx),
        service.get(taskId, undefined, ctx),
        service.get(taskId, 'mine', ctx),
        service.list(taskId, undefined, undefined, ctx),
        service.delete(taskId, 'mine', ctx),
      ];
      for (const call of calls) {
        expect(await refused(call)).toMatchObject({
          reason: 'TASK_NOT_FOUND',
          message: 'Task not found',
        });
      }
    }
  });

  it('refuses an address the hub may not call, naming the field', async () => {
    checked = () => Promise.reject(new HubError('EGRESS_DENIED', 'it is a loopback address'));
    const error = await refused(service.create(config(), context()));
    expect(error).toMatchObject({
      reason: 'INVALID_PARAMS',
      violations: [
        {
          field: 'url',
          description:
            'it is a loopback address (push.allow opens what webhooks may reach besides public https)',
        },
      ],
    });
    const inline = await refused(service.inline(config(), context()));
    expect(inline.violations[0]?.field).toBe('configuration.taskPushNotificationConfig.url');
    expect(configs.configs).toEqual([]);
  });

  it('accepts a host that does not resolve and remembers that', async () => {
    checked = () => Promise.resolve({ verified: false });
    await service.create(config(), context());
    expect(configs.configs[0]).toMatchObject({ verified: false });
  });

  it.each([
    ['url', { url: '' }],
    ['url', { url: 'https://hooks.example/a\r\nX: 1' }],
    ['token', { token: 'a\nb' }],
    ['id', { id: 'a\rb' }],
    ['authentication.scheme', { authentication: { scheme: 'Digest', credentials: 'x' } }],
    ['authentication.credentials', { authentication: { scheme: 'Bearer', credentials: 'a\nb' } }],
  ])('refuses a bad %s', async (field, changes) => {
    const error = await refused(service.create(config(changes), context()));
    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', violations: [{ field }] });
    const inline = await refused(service.inline(config(changes), context()));
    expect(inline.violations[0]?.field).toBe(`configuration.taskPushNotificationConfig.${field}`);
  });

  it('gets the first config by the task alone', async () => {
    await service.create(config({ id: 'one' }), context());
    await service.create(config({ id: 'two' }), context());
    expect(await service.get('t1', undefined, context())).toMatchObject({ id: 'one' });
    expect(await service.get('t1', 'two', context())).toMatchObject({ id: 'two' });
    expect(await refused(service.get('t1', 'default', context()))).toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });

  it('lists in pages that end', async () => {
    for (const id of ['a', 'b', 'c']) await service.create(config({ id }), context());
    const first = await service.list('t1', 2, undefined, context());
    expect(first.configs.map((each) => each.id)).toEqual(['a', 'b']);
    const last = await service.list('t1', 2, first.nextPageToken, context());
    expect(last.configs.map((each) => each.id)).toEqual(['c']);
    expect(last.nextPageToken).toBe('');
    expect((await service.list('t1', 0, '', context())).configs).toHaveLength(3);
    expect(await refused(service.list('t1', 1, 'nonsense', context()))).toMatchObject({
      reason: 'INVALID_PARAMS',
    });
  });

  it('deletes twice without complaint', async () => {
    await service.create(config({ id: 'mine' }), context());
    await service.delete('t1', 'mine', context());
    await service.delete('t1', 'mine', context());
    expect(await refused(service.get('t1', 'mine', context()))).toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });

  it('writes the config of a message in its commit only, and notifies when that is committed', async () => {
    const enlisted = await service.inline(config(), context());
    expect(configs.configs).toEqual([]);
    const work = enlisted({} as Tx, 't1');
    const { value: notify } = work.next();
    expect(configs.options).toEqual([{ now: NOW, repeated: 'leave' }]);
    expect(notifications).toBe(0);
    if (typeof notify === 'function') notify();
    expect(notifications).toBe(1);
  });

  it('knows a task at the addresses of the agents that work on it, not of unused fallbacks', async () => {
    const fallback = context({ agentId: 'fallback' });
    expect(await refused(service.create(config(), fallback))).toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
    await service.create(config({ id: 'mine' }), context({ agentId: 'echo' }));
    expect(await service.get('t1', 'mine', context({ agentId: 'echo' }))).toMatchObject({
      id: 'mine',
    });
  });
});
