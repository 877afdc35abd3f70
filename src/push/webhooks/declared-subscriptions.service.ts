import { isDeepStrictEqual } from 'node:util';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { type FieldViolation, HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { sideBySide } from '../../common/side-by-side.js';
import {
  AppConfig,
  ConfigChanges,
  type DeclaredSubscription,
  declaredWrong,
  readDeclared,
} from '../../config/index.js';
import { WebhookRegistration } from '../registration/webhook-registration.js';
import { DeclaredSubscriptionDto } from './subscription.dto.js';
import { SubscriptionDirectory } from '../registration/subscription-directory.js';
import { SubscriptionStore } from '../registration/subscription-store.js';
import { WebhookStore } from './webhook-store.js';
import { SubscriptionReconciler } from '../delivery/subscription-reconciler.js';
import type {
  Subscription,
  SubscriptionDraft,
  Webhook,
  WebhookChange,
} from '../registration/webhook.js';
import { filterOf, requestedOf, textOf } from './written-subscription.js';

/** Their key in the configuration. */
const KEY = 'subscriptions';
/** Checked at once: the name of one may take seconds to resolve. */
const AT_ONCE = 16;
/** The pause before what could not be stored is tried again. */
const RETRY_MS = 1000;

interface Declared extends SubscriptionDraft {
  readonly paused: boolean;
}

/**
 * Keeps the subscriptions that the configuration declares in the store, at start and whenever its file
 * changes: adds and changes them, deletes those that are no longer declared. One that is wrong, or goes
 * where the hub may not call, is refused with the whole configuration.
 */
@Injectable()
export class DeclaredSubscriptions
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy
{
  private readonly stopping = new AbortController();
  private declared: readonly Declared[] = [];
  /** One list after another. */
  private applying: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: AppConfig,
    private readonly changes: ConfigChanges,
    private readonly subscriptions: SubscriptionStore,
    private readonly webhooks: WebhookStore,
    private readonly directory: SubscriptionDirectory,
    private readonly reconciler: SubscriptionReconciler,
    private readonly registration: WebhookRegistration,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    this.declared = await this.read(this.config.subscriptions);
    this.changes.subscribe(async ({ subscriptions }) => {
      const declared = await this.read(subscriptions);
      return () => this.apply(declared);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.apply(this.declared);
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /** Throws `ConfigError` with all that is wrong. */
  private async read(written: readonly DeclaredSubscription[]): Promise<readonly Declared[]> {
    const dtos = await readDeclared(KEY, written, DeclaredSubscriptionDto, (dto) => ({
      entry: dto,
      faults: [],
    }));
    const declared: Declared[] = [];
    const faults: FieldViolation[] = [];
    const checked = await sideBySide(dtos, AT_ONCE, (dto) => this.declaredOf(dto).catch(wrongOf));
    for (const [index, each] of checked.entries()) {
      if (!(each instanceof HubError)) declared.push(each);
      else {
        const at = `${KEY}[${index}]`;
        faults.push(...each.violations.map((one) => ({ ...one, field: `${at}.${one.field}` })));
      }
    }
    if (faults.length > 0) throw declaredWrong(faults);
    return declared;
  }

  private async declaredOf(dto: DeclaredSubscriptionDto): Promise<Declared> {
    const { id, organization, paused = false } = dto;
    return {
      ...(await this.registration.check(requestedOf(dto), organization, '')),
      id,
      name: textOf(dto.name),
      source: 'config',
      organization,
      principalId: declaredOwner(organization),
      scope: 'organization',
      events: dto.events ?? 'changes',
      filter: filterOf(dto.filter),
      paused,
    };
  }

  private apply(declared: readonly Declared[]): Promise<void> {
    this.declared = declared;
    const done = this.applying.then(() => this.putAll(declared));
    this.applying = done.catch(() => undefined);
    return done;
  }

  private async putAll(declared: readonly Declared[]): Promise<void> {
    const wanted = new Map(declared.map((each) => [each.id, each]));
    for (const stored of await this.subscriptions.all()) {
      if (stored.source !== 'config') continue;
      const next = wanted.get(stored.id);
      if (next !== undefined && isOfTheSame(stored, next)) continue;
      await this.webhooks.remove(stored.id, EVERYTHING, () => undefined, this.clock.now());
      this.log.warn(
        { subscription: stored.id },
        'a subscription was deleted because the configuration no longer declares it',
      );
    }
    let isWhole = true;
    for (const each of declared) if (!(await this.put(each))) isWhole = false;
    await this.directory.renew();
    this.reconciler.wake();
    if (!isWhole) void this.tryAgain(declared);
  }

  /** Whether it is stored as it is declared. */
  private async put(declared: Declared): Promise<boolean> {
    const present = await this.subscriptions.get(declared.id, EVERYTHING);
    if (present !== undefined && isAsDeclared(present, declared)) return true;
    const { paused, ...draft } = declared;
    const now = this.clock.now();
    try {
      if (present === undefined) await this.subscriptions.create(draft, Infinity, now);
      if (present === undefined && !paused) return true;
      const updated = await this.webhooks.update(
        declared.id,
        EVERYTHING,
        (stored) => {
          if (stored.source === 'api') throw new HubError('CONFLICT', 'its id is taken');
          return { ...changesOf(draft), ...stateOf(stored, paused) };
        },
        now,
      );
      return updated !== undefined;
    } catch (error) {
      // One of this id is being deleted, or another process of the same configuration was quicker.
      if (!(error instanceof HubError) || error.reason !== 'CONFLICT') throw error;
      const fields = { subscription: declared.id };
      this.log.warn(fields, 'a declared subscription could not be stored yet; trying again');
      return false;
    }
  }

  private async tryAgain(declared: readonly Declared[]): Promise<void> {
    await this.clock.sleep(RETRY_MS, this.stopping.signal);
    if (this.stopping.signal.aborted || this.declared !== declared) return;
    await this.apply(declared).catch((error: unknown) => {
      this.log.warn({ err: error }, 'declared subscriptions could not be stored');
    });
  }
}

/** The error, where it says which fields are wrong. */
function wrongOf(error: unknown): HubError {
  if (error instanceof HubError && error.violations.length > 0) return error;
  throw error;
}

/** What cannot change of a subscription is as it was. */
function isOfTheSame(stored: Subscription, { organization, version }: Declared): boolean {
  return stored.organization === organization && stored.version === version;
}

function isAsDeclared(stored: Subscription, declared: Declared): boolean {
  const { name, fingerprint, events, filter, authNames } = declared;
  return (
    stored.source === 'config' &&
    stored.fingerprint === fingerprint &&
    stored.name === name &&
    stored.events === events &&
    isDeepStrictEqual(stored.filter, filter) &&
    isDeepStrictEqual(stored.authNames, authNames) &&
    (stored.state === 'paused') === (declared.paused && stored.state !== 'disabled')
  );
}

/** What their deliveries belong to: no principal, as a blank is in no id of one; the organization sees them. */
function declaredOwner(organization: string): string {
  return `config ${organization}`;
}

function changesOf(draft: SubscriptionDraft): WebhookChange {
  const { id, source, organization, principalId, scope, version, ...changes } = draft;
  void [id, source, organization, principalId, scope, version];
  return changes;
}

/** What its receiver has brought about stays; a changed declaration is a reason to try again. */
function stateOf(stored: Webhook, paused: boolean): WebhookChange {
  if (paused) return { state: 'paused', stateReason: null };
  return stored.state === 'failing' ? {} : { state: 'active', stateReason: null };
}
