import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry, needsCallersToken, type Requested } from '../../agents/index.js';
import {
  PresentCallers,
  type Principal,
  type SubjectToken,
  visibilityOf,
} from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { prepareAll } from '../../policies/index.js';
import { Role, type Message } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import {
  requestedExtensions,
  extensionsRequired,
  missingExtensions,
  type HubRequest,
} from '../../routing/index.js';
import { agentOf } from '../domain/agent-of.js';
import { addressee, decideFollowUp } from '../domain/task-decisions.js';
import { keyConflict, taskNotFound } from '../domain/task-errors.js';
import { KeyHeldError, TaskLog } from '../log/task-log.js';
import type { EnlistedWork } from '../store/prepared-append.js';
import { TaskTokens } from '../store/task-tokens.js';
import {
  NO_CHANGE,
  type Delegation,
  type IdempotencyKey,
  type SentWith,
  type TaskAggregate,
} from '../task.js';
import { belongsTo } from '../store/visibility.js';
import { Quotas } from '../quotas/quotas.js';
import { givenKeyOf, sameContent } from './fingerprint.js';
import { requestedOf } from './named-agent.js';
import { checkRelated } from './related-tasks.js';

/** Further messages of clients on their tasks. */
@Injectable()
export class FollowUps {
  constructor(
    private readonly log: TaskLog,
    private readonly clock: Clock,
    @Inject(AgentRegistry)
    private readonly agents: Pick<
      AgentRegistry,
      'registeredAt' | 'knownAt' | 'mayGoOn' | 'prepare' | 'refusalOf'
    >,
    private readonly quotas: Quotas,
    private readonly tokens: TaskTokens,
    private readonly present: PresentCallers,
  ) {}

  /**
   * Adds the message to its task and queues the delegation it is for; `enlisted` is written in the same
   * commit. The same message again, while its answer is still awaited, adds nothing, nor does the same
   * request under a client's `Idempotency-Key` as long as that holds; `enlisted` is written all the same.
   * Throws TASK_NOT_FOUND for a task, or a related one, that the caller does not have, CONFLICT for a key that was used
   * for another request, NO_ROUTE when the caller may no longer use the agent (the task can still be read
   * and canceled), QUOTA_EXCEEDED for the task's owner, RATE_LIMITED for the agent, UNAUTHENTICATED when the caller is not valid any more by then, UNAVAILABLE while the disk is almost full, EXTENSION_SUPPORT_REQUIRED when that requires an extension that was not requested, and what
   * {@link decideFollowUp} throws.
   */
  async add(request: HubRequest, enlisted: readonly EnlistedWork[]): Promise<void> {
    const { principal } = request;
    const check = this.present.checkOf(request);
    await checkRelated(this.log, request);
    const idempotency = givenKeyOf(request, this.clock.now());
    await prepareAll(() => this.agents.prepare(principal));
    if (await this.wasAdded(principal, idempotency)) {
      return this.append(request, enlisted, 'known');
    }
    let uncount: (() => void) | undefined;
    try {
      if (this.quotas.hasRates) uncount = await this.countMessage(request);
      await this.append(request, enlisted, idempotency, check);
    } catch (refusal) {
      // The same request may have come just before, perhaps to another process, and be answered already.
      const isCopy =
        refusal instanceof KeyHeldError
          ? refusal.sameRequest
          : refusal instanceof HubError && (await this.wasAdded(principal, idempotency));
      const isUsedUp = refusal instanceof HubError && refusal.reason === 'QUOTA_EXCEEDED';
      if (isCopy || isUsedUp) uncount?.();
      if (isCopy) return this.append(request, enlisted, 'known');
      throw refusal instanceof KeyHeldError ? keyConflict() : refusal;
    }
  }

  /** Whether this request was added before, by its key. Throws CONFLICT for a key of another request. */
  private async wasAdded({ id }: Principal, idempotency: IdempotencyKey | null): Promise<boolean> {
    if (idempotency === null) return false;
    const holder = await this.log.keyHolder(id, idempotency.key);
    if (holder === undefined) return false;
    if (holder.fingerprint !== idempotency.fingerprint) throw keyConflict();
    return true;
  }

  /** Counts what is new and may be added; what is refused for another reason is refused when it is. */
  private async countMessage(request: HubRequest): Promise<(() => void) | undefined> {
    const { message, principal, agentId, directive } = request;
    const visibility = visibilityOf(principal);
    const aggregate = await this.log.read(message.taskId, visibility);
    if (!aggregate || !belongsTo(aggregate, visibility, agentId)) return undefined;
    const { record } = aggregate;
    if (isTerminal(record.state) || record.cancelRequestedAt !== null) return undefined;
    if (isRepetition(aggregate, message)) return undefined;
    return this.quotas.countMessage(record, [addressee(aggregate, directive)]);
  }

  /** `known`: it was added before, and adds nothing. `check` is made where it adds something. */
  private async append(
    request: HubRequest,
    others: readonly EnlistedWork[],
    key: IdempotencyKey | 'known' | null,
    check?: EnlistedWork,
  ): Promise<void> {
    const { message, agentId, directive } = request;
    const visibility = visibilityOf(request.principal);
    const decided = this.log.update(message.taskId, (aggregate) => {
      if (!belongsTo(aggregate, visibility, agentId)) throw taskNotFound(message.taskId);
      const token = this.neededToken(request.principal, aggregate);
      const enlisted = token ? [...others, this.tokens.keeping(token)] : others;
      if (key === 'known' || isRepetition(aggregate, message)) {
        return { change: NO_CHANGE, result: undefined, enlisted };
      }
      this.quotas.checkMessage(aggregate.record);
      const now = this.clock.now();
      const change = decideFollowUp(aggregate, message, directive, now, sentWithOf(request));
      this.checkAgent(request, addressee(aggregate, directive));
      const limits = this.quotas.exactlyStored(aggregate.record);
      const all = check === undefined ? enlisted : [check, ...enlisted];
      return { change, result: undefined, enlisted: all, idempotency: key, limits };
    });
    await decided.catch((error: unknown) => {
      const isUnknown = error instanceof HubError && error.reason === 'TASK_NOT_FOUND';
      throw isUnknown ? taskNotFound(message.taskId) : error;
    });
  }

  /** The fresh access token of the task's owner, when an agent of the task is called with it. */
  private neededToken(
    { id, token }: Principal,
    { record, delegations }: TaskAggregate,
  ): SubjectToken | undefined {
    if (token === undefined || id !== record.principalId) return undefined;
    const isNeeded = delegations.some((delegation) => {
      const agent = agentOf(this.agents, delegation);
      return agent !== undefined && needsCallersToken(agent, record.organization);
    });
    return record.keepsToken || isNeeded ? token : undefined;
  }

  /**
   * A further message is new work: the caller must be allowed to use the agent now, for what it did and for what the message names. It
   * goes to that agent in any case, which may look at what is named.
   */
  private checkAgent(request: HubRequest, delegation: Delegation): void {
    const { agentId, skillId } = delegation;
    const agent = agentOf(this.agents, delegation);
    if (!agent) return;
    const { principal, directive } = request;
    const refuse = (requested: Requested, why: string): never => {
      const refusedBy = this.agents.refusalOf(principal, agentId, requested);
      throw new HubError('NO_ROUTE', why, refusedBy && { refusal: refusedBy });
    };
    if (!this.agents.mayGoOn(principal, agent, skillId)) {
      refuse(
        { skillId, tags: [], match: 'all' },
        `The agent "${agentId}" of this task is no longer available to you; the task can still be read and canceled.`,
      );
    }
    const named = requestedOf(agentId, directive);
    const isNamed = named.skillId !== null || named.tags.length > 0;
    if (isNamed && this.agents.refusalOf(principal, agentId, named) !== undefined) {
      refuse(
        named,
        `What the message names of the agent "${agentId}" is not available to you: send it without skillId and tags; it goes on with its task.`,
      );
    }
    const requested = requestedExtensions(request.extensions, request.message);
    const missing = missingExtensions(agent, new Set(requested));
    if (missing.length > 0) throw extensionsRequired(missing);
  }
}

function sentWithOf({ metadata, extensions, configuration, message }: HubRequest): SentWith {
  return {
    requestMetadata: metadata ?? null,
    extensions: requestedExtensions(extensions, message),
    acceptedOutputModes: configuration?.acceptedOutputModes ?? [],
  };
}

/** The client's newest message has the same content and id, and has not been answered yet. */
function isRepetition({ record, task }: TaskAggregate, message: Message): boolean {
  if (message.messageId === '' || isInterrupted(record.state)) return false;
  const last = task.history.findLast(({ role }) => role === Role.ROLE_USER);
  return last?.messageId === message.messageId && sameContent(last, message);
}
