import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import { HubError, invalidField } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { isUuid } from '../../common/uuid.js';
import { TaskStore } from '../../tasks/index.js';
import { seenBy } from './push-access.js';
import { PushConfigService } from './push-config.service.js';
import type { EventChoice, PushConfig } from './push-config.js';
import { PushWakeup } from '../lanes/push-wakeup.js';
import {
  type GivenSecrets,
  type RequestedWebhook,
  WebhookRegistration,
  refuseCarried,
  refuseNoSecret,
} from './webhook-registration.js';
import {
  type ConfigChange,
  type ConfigFilter,
  type ConfigProgress,
  ManagedConfigStore,
  type Replay,
  type ReplayStart,
  refuseOfSubscription,
} from './managed-config-store.js';

export interface NewConfig extends Omit<RequestedWebhook, 'rawAuthentication'> {
  readonly taskId: string;
  readonly id?: string | undefined;
  readonly events: EventChoice;
}

/** What an owner may change of where and what a webhook is told. */
export interface ChangedWebhook extends GivenSecrets {
  readonly url?: string | undefined;
  readonly events?: EventChoice | undefined;
}

export interface NewSecrets extends GivenSecrets {
  /** The present signing keys go on signing behind the new ones. */
  readonly keepSigningKeys?: boolean | undefined;
}

/**
 * The webhooks of tasks, for the admin API: their owners', or all of them for operators (`admin`). A
 * stranger's webhook or task is NOT_FOUND, like one that does not exist.
 */
@Injectable()
export class ConfigsService {
  constructor(
    private readonly store: ManagedConfigStore,
    private readonly configs: PushConfigService,
    private readonly registration: WebhookRegistration,
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
    private readonly wakeup: PushWakeup,
  ) {}

  /** Newest first. */
  async list(
    filter: ConfigFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<PushConfig>> {
    const after = cursor === undefined ? null : readCursor('configs', cursor, isUuid);
    const found = await this.store.search(filter, seenBy(caller), limit + 1, after);
    return pageOf('configs', found, limit, ({ uid }) => uid);
  }

  async get(
    id: string,
    caller: Principal,
  ): Promise<{ readonly config: PushConfig; readonly progress: ConfigProgress }> {
    const config = await this.find(id, caller);
    return { config, progress: await this.store.progress(config) };
  }

  async find(id: string, caller: Principal): Promise<PushConfig> {
    return there(await this.store.find(id, seenBy(caller)));
  }

  /** Sets a webhook on a task, as its client could; the same id again replaces it. */
  async create(asked: NewConfig, caller: Principal): Promise<PushConfig> {
    const record = await this.tasks.record(asked.taskId, seenBy(caller));
    if (!record) throw new HubError('NOT_FOUND', 'There is no such task.');
    return this.configs.register(record, asked, caller.id);
  }

  /**
   * Another address, or another choice of events. What waits goes to the new address. Secrets do not go
   * to another origin by themselves: they have to be given with it, or taken away.
   */
  async patch(id: string, asked: ChangedWebhook, caller: Principal): Promise<PushConfig> {
    if (Object.values(asked).every((member) => member === undefined)) {
      throw invalidField('url', 'or events must be given');
    }
    const config = await this.find(id, caller);
    refuseOfSubscription(config.subscriptionId);
    const { url, events } = asked;
    const change: ConfigChange = {
      ...(url === undefined ? {} : await this.registration.address(url, config.organization, '')),
      ...(events === undefined ? {} : { events }),
      ...this.registration.given(asked),
    };
    refuseCarried(config, change);
    return this.change(config, change, caller);
  }

  /**
   * New secrets, from the next attempt on: a body that waits goes with them. Once this has resolved, only
   * requests that were about to begin carry the old ones.
   */
  async rotate(id: string, asked: NewSecrets, caller: Principal): Promise<PushConfig> {
    const { signingKeys, keepSigningKeys = false } = asked;
    refuseNoSecret(asked);
    if (keepSigningKeys && !signingKeys?.length) {
      throw invalidField('keepSigningKeys', 'needs signingKeys');
    }
    const config = await this.find(id, caller);
    refuseOfSubscription(config.subscriptionId);
    const kept = keepSigningKeys ? config.sealedSigningKeys : null;
    return this.change(config, this.registration.given(asked, kept), caller);
  }

  async pause(id: string, caller: Principal): Promise<PushConfig> {
    return there(await this.store.pause(id, seenBy(caller), this.clock.now()));
  }

  async resume(id: string, caller: Principal): Promise<PushConfig> {
    const resumed = there(await this.store.resume(id, seenBy(caller), this.clock.now()));
    this.wakeup.ring();
    return resumed;
  }

  async replay(id: string, from: ReplayStart, caller: Principal): Promise<Replay> {
    const replay = there(await this.store.replay(id, seenBy(caller), from, this.clock.now()));
    this.wakeup.ring();
    return replay;
  }

  async remove(id: string, caller: Principal): Promise<void> {
    const removed = await this.store.remove(id, seenBy(caller), this.clock.now());
    if (!removed) throw notFound();
  }

  private async change(
    config: PushConfig,
    change: ConfigChange,
    caller: Principal,
  ): Promise<PushConfig> {
    await this.registration.requireProfile({ ...config, ...change }, '');
    const fingerprint = await this.registration.fingerprint({ ...config, ...change });
    const changed = await this.store.change(
      config.uid,
      seenBy(caller),
      config.fingerprint,
      { ...change, fingerprint },
      this.clock.now(),
    );
    this.wakeup.ring();
    return there(changed);
  }
}

function there<T>(found: T | undefined): T {
  if (found === undefined) throw notFound();
  return found;
}

function notFound(): HubError {
  return new HubError('NOT_FOUND', 'There is no such webhook.');
}
