import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  ConsentFailed,
  type ConsentKey,
  type ConsentPlace,
  UserConsents,
} from '../../agents/index.js';
import { audited, AuditLog, NO_CALLER } from '../../audit/index.js';
import { type PrincipalRecord, PrincipalStore } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { secondsLeft } from '../../common/seconds-left.js';
import { PublicUrl } from '../../config/index.js';
import { CommitUnknown } from '../../database/commit-unknown.js';
import { decideConsented, decideConsentFailed } from '../domain/decide-await-authorization.js';
import { TaskLog } from '../log/task-log.js';
import { type ConsentRequest, ConsentRequests } from '../store/consent-requests.js';
import type { ConsentWait, Delegation, TaskChange, TaskRecord } from '../task.js';

/** Where a link leads, below the hub's address; its id follows. */
export const CONSENT_PATH = '/oauth/consent';
/** Where providers send browsers back to. */
export const CONSENT_CALLBACK_PATH = '/oauth/callback';

/** How long a link may be opened, and how long a user has at the provider after that. */
const LINK_MS = 10 * 60_000;
/** How often a link may be opened in a minute. */
const OPENINGS = 100;
/** Links of one principal that are open at once. */
const MOST_OPEN = 100;
/** 256 bits, as base64url. */
const SECRET = /^[\w-]{43}$/;

/** In whose name an agent will be called. */
export interface ConsentOwner extends Pick<ConsentKey, 'principalId' | 'organization'> {
  /** Whoever administers its access can give it any. */
  readonly displayName: string | null;
  /** Whom an issuer knows it as; null for a principal that comes with keys. */
  readonly identity: Pick<NonNullable<PrincipalRecord['identity']>, 'issuer' | 'subject'> | null;
}

/** What a link shows. */
export type LinkView =
  | {
      readonly kind: 'ask';
      readonly place: ConsentPlace;
      readonly owner: ConsentOwner;
      /** For a cookie of the browser, beside those of other links. */
      readonly state: string;
      readonly browser: string;
    }
  /** The task goes on already, or has ended. */
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too-often'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly why: string };

/** What the answer of a provider has brought. */
export type ConsentResult =
  | { readonly kind: 'given' }
  | { readonly kind: 'unknown' | 'expired' | 'other-browser' }
  | { readonly kind: 'failed'; readonly why: string }
  /** A consent that is kept, or may be, while the database fails: the log of the hub says how. Its link sends what waits for it. */
  | { readonly kind: 'kept' | 'not-known' };

/** Tasks that wait for the consent of their owner to calls of an agent in its name. */
@Injectable()
export class TaskConsents {
  /** By link, in this process. */
  private readonly openings = new RateLimiterMemory({ points: OPENINGS, duration: 60 });

  constructor(
    private readonly requests: ConsentRequests,
    @Inject(UserConsents)
    private readonly consents: Pick<UserConsents, 'clientFor' | 'ask' | 'complete' | 'isGiven'>,
    @Inject(TaskLog) private readonly log: Pick<TaskLog, 'update'>,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'record'>,
    @Inject(PrincipalStore) private readonly principals: Pick<PrincipalStore, 'get'>,
    @Inject(PublicUrl) private readonly publicUrl: Pick<PublicUrl, 'ofA2a'>,
    private readonly clock: Clock,
    private readonly logger: Log,
  ) {}

  /** A new link for a delegation, in place of the one before; or why there can be none, as a clause. */
  async request(
    record: Pick<TaskRecord, 'id' | 'principalId' | 'organization'>,
    { id: delegationId, agentId }: Pick<Delegation, 'id' | 'agentId'>,
  ): Promise<ConsentWait | string> {
    const { principalId, organization } = record;
    const base = this.publicUrl.ofA2a;
    if (base === null) return 'publicUrl is not set, where it could be given';
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + LINK_MS);
    const linkId = newSecret();
    const request = { principalId, organization, agentId, taskId: record.id, delegationId };
    if (!(await this.requests.open({ ...request, expiresAt }, linkId, MOST_OPEN, now))) {
      return `${MOST_OPEN} other tasks ask for a consent already`;
    }
    const url = `${base}${CONSENT_PATH}/${linkId}`;
    return { type: 'consent', url, expiresAt: expiresAt.toISOString() };
  }

  /** Sends a delegation that waits for the consent of its task's owner, if that is there. */
  async resumeGiven(
    {
      id: taskId,
      principalId,
      organization,
    }: Pick<TaskRecord, 'id' | 'principalId' | 'organization'>,
    { id: delegationId, agentId }: Pick<Delegation, 'id' | 'agentId'>,
  ): Promise<void> {
    if (!(await this.isGiven({ principalId, organization, agentId }))) return;
    await this.resumeOne({ taskId, delegationId });
  }

  /** A browser opens a link. */
  async show(linkId: string): Promise<LinkView> {
    const request = SECRET.test(linkId) ? await this.requests.of(linkId) : undefined;
    if (request === undefined || request.expiresAt <= this.clock.now()) return { kind: 'unknown' };
    const seconds = await secondsLeft(this.openings, linkId);
    if (seconds !== undefined) return { kind: 'too-often', seconds };
    if (await this.isGiven(request)) {
      await this.resume(request);
      return { kind: 'done' };
    }
    const now = this.clock.now();
    const until = new Date(now.getTime() + LINK_MS);
    try {
      const client = this.consents.clientFor(request);
      const begun = { verifier: newSecret(), client };
      const started = await this.requests.start(linkId, begun, now, until);
      if (started === undefined) return { kind: 'unknown' };
      const { state, browser, verifier } = started;
      const attempt = { redirectUri: this.redirectUri, state, verifier, client };
      const place = await this.consents.ask(request, attempt);
      const owner = await this.ownerOf(request);
      return { kind: 'ask', place, owner, state, browser };
    } catch (error) {
      if (!(error instanceof ConsentFailed)) throw error;
      await this.fail(request, error.message);
      return { kind: 'failed', why: error.message };
    }
  }

  /** A provider has sent a browser back: keeps the consent and sends what waits for it. Nothing of the answer but its own words is told. */
  async complete(answer: URLSearchParams, browser: string | undefined): Promise<ConsentResult> {
    const state = answer.get('state') ?? '';
    // RFC 6749 §3.1: no parameter stands twice.
    if (!SECRET.test(state) || isRepeated(answer)) return { kind: 'unknown' };
    const taken = await this.requests.take(state, browser ?? '', this.clock.now());
    if (taken.kind !== 'taken') return { kind: taken.kind };
    const { request, verifier, client } = taken;
    const { principalId, organization, agentId } = request;
    const key = { principalId, organization, agentId };
    try {
      const attempt = { redirectUri: this.redirectUri, state, verifier, client };
      // Who sits at the browser, the hub does not know: the provider does.
      const change = {
        ...{ action: 'consents.give', requestId: null, policy: null, details: {} },
        actor: { ...NO_CALLER, organization, onBehalfOf: principalId },
        resource: { type: 'consents', id: null },
      };
      await audited(
        this.audit,
        change,
        () => this.consents.complete(key, attempt, answer),
        undefined,
        ({ id }) => id,
      );
    } catch (error) {
      if (error instanceof CommitUnknown) return this.troubled('not-known', request, error);
      if (!(error instanceof ConsentFailed)) throw error;
      await this.fail(request, error.message);
      return { kind: 'failed', why: error.message };
    }
    try {
      await this.resume(key);
    } catch (error) {
      return this.troubled('kept', request, error);
    }
    return { kind: 'given' };
  }

  private troubled(
    kind: 'kept' | 'not-known',
    { taskId, agentId }: ConsentRequest,
    err: unknown,
  ): ConsentResult {
    const text =
      kind === 'kept'
        ? 'a consent was given, but a task that waits for it could not be sent on'
        : 'it is not known whether a consent was kept';
    this.logger.error({ taskId, agentId, err }, text);
    return { kind };
  }

  private async ownerOf({ principalId, organization }: ConsentKey): Promise<ConsentOwner> {
    const { displayName = null, identity = null } = (await this.principals.get(principalId)) ?? {};
    return { principalId, organization, displayName, identity };
  }

  private get redirectUri(): string {
    return `${this.publicUrl.ofA2a ?? ''}${CONSENT_CALLBACK_PATH}`;
  }

  private async isGiven(key: ConsentKey): Promise<boolean> {
    try {
      return await this.consents.isGiven(key);
    } catch (error) {
      if (error instanceof ConsentFailed) return false;
      throw error;
    }
  }

  /** Every task of the owner that waits for it, whichever link was opened. */
  private async resume(key: ConsentKey): Promise<void> {
    for (const request of await this.requests.waiting(key)) await this.resumeOne(request);
  }

  private async resumeOne({
    taskId,
    delegationId,
  }: Pick<ConsentRequest, 'taskId' | 'delegationId'>): Promise<void> {
    await this.change(taskId, (task) => decideConsented(task, delegationId, this.clock.now()));
    await this.requests.close(delegationId);
  }

  private fail({ taskId, delegationId }: ConsentRequest, why: string): Promise<void> {
    return this.change(taskId, (task) =>
      decideConsentFailed(task, delegationId, why, this.clock.now()),
    );
  }

  private async change(
    taskId: string,
    decide: (task: Parameters<typeof decideConsented>[0]) => TaskChange,
  ): Promise<void> {
    try {
      await this.log.update(taskId, (task) => ({ change: decide(task), result: undefined }));
    } catch (error) {
      if (!(error instanceof HubError) || error.reason !== 'TASK_NOT_FOUND') throw error;
    }
  }
}

function isRepeated(answer: URLSearchParams): boolean {
  const names = [...answer.keys()];
  return new Set(names).size < names.length;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
