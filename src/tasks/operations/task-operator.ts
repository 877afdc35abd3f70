import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { EVERYTHING, type Operator, type Principal, PrincipalStore } from '../../auth/index.js';
import { HubError, hubErrorOf } from '../../common/hub-error.js';
import { reserveFor } from '../../common/reserve-for.js';
import { Log } from '../../common/logger.js';
import { TaskState, type Message } from '../../protocol/a2a.js';
import { eventOf } from '../../protocol/wire-json.js';
import { readDirective } from '../../protocol/routing-extension.js';
import { isTerminal } from '../../protocol/task-state.js';
import type { HubRequest } from '../../routing/index.js';
import { TaskCanceler } from '../cancel/task-canceler.js';
import { withoutRetry } from '../domain/operator-actions.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskLog } from '../log/task-log.js';
import type { ReserveBytes } from '../store/task-store.js';
import { TaskService } from './task.service.js';
import { FIRST_MESSAGE_SEQ, type TaskAggregate } from '../task.js';

/**
 * The actions of operators on one task, of whichever owner. Each is in the hub's log with the operator's
 * principal, key and the result, and those that change something are kept with the task.
 */
@Injectable()
export class TaskOperator {
  constructor(
    private readonly log: TaskLog,
    private readonly canceler: TaskCanceler,
    private readonly service: TaskService,
    private readonly principals: PrincipalStore,
    private readonly logger: Log,
  ) {}

  /** The whole task, as its client sees it. Throws TASK_NOT_FOUND, and what `reserve` rejects with. */
  async read(taskId: string, operator: Operator, reserve?: ReserveBytes): Promise<TaskAggregate> {
    return this.recorded('read', taskId, operator, async () => {
      const aggregate = await this.task(taskId, reserve);
      // It may have been in memory.
      await reserveFor(aggregate.task, reserve);
      return aggregate;
    });
  }

  /**
   * As the client's own CancelTask, with the reason of the operator: resolves with the task when it has ended, or
   * when the agents' time is over. Throws TASK_NOT_FOUND and TASK_NOT_CANCELABLE.
   */
  async cancel(taskId: string, operator: Operator): Promise<TaskAggregate> {
    return this.recorded('cancel', taskId, operator, async () => {
      await this.canceler.cancel(taskId, EVERYTHING, undefined, undefined, operator);
      return this.task(taskId);
    });
  }

  /**
   * Sends the first message of a task that has ended again, for its owner and in its context: a new task that
   * names this one, routed as the message is routed now. Asked again while that is open, it gives the same one.
   * Throws TASK_NOT_FOUND; CONFLICT for a task that is open, whose owner is disabled, or about whose owner policies ask what is
   * known only when it calls itself; and what a send throws.
   */
  async retry(taskId: string, operator: Operator): Promise<TaskAggregate> {
    return this.recorded('retry', taskId, operator, () => this.sendAgain(taskId, operator));
  }

  private async sendAgain(taskId: string, operator: Operator): Promise<TaskAggregate> {
    const aggregate = await this.task(taskId);
    if (!isTerminal(aggregate.record.state)) {
      throw new HubError('CONFLICT', 'The task has not ended: cancel it first.');
    }
    const { principalId } = aggregate.record;
    const owner = await this.principals.get(principalId);
    if (owner !== undefined && owner.status.disabledAt !== null) {
      const text = `The owner of the task, the principal ${principalId}, or its organization is disabled: enable it first.`;
      throw new HubError('CONFLICT', text);
    }
    const message = await this.firstMessage(taskId);
    const answer = await this.service
      .send(retryRequest(aggregate, message, operator))
      .catch((error: unknown) => {
        throw saidToOwner(error, principalId);
      });
    if (answer.kind !== 'task') throw new Error('a send that does not wait gave no task');
    return this.task(answer.task.id);
  }

  private async task(taskId: string, reserve?: ReserveBytes): Promise<TaskAggregate> {
    const aggregate = await this.log.read(taskId, EVERYTHING, reserve);
    if (!aggregate) throw taskNotFound(taskId);
    return aggregate;
  }

  private async firstMessage(taskId: string): Promise<Message> {
    const [event] = await this.log.events(taskId, FIRST_MESSAGE_SEQ - 1, 1);
    const { payload } = await eventOf(event?.body ?? '{}');
    if (payload?.$case !== 'message') throw new Error(`task ${taskId} has no first message`);
    return payload.value;
  }

  /** Writes the result to the log, also of an action that is refused or fails. */
  private async recorded(
    act: string,
    taskId: string,
    { principalId: by, keyId: withKey, reason }: Operator,
    work: () => Promise<TaskAggregate>,
  ): Promise<TaskAggregate> {
    const note = (outcome: object): void =>
      this.logger.info(
        { act, taskId, by, withKey, reason, ...outcome },
        'an operator acted on a task',
      );
    try {
      const task = await work();
      const { id, state } = task.record;
      note({ outcome: 'done', state: TaskState[state], ...(id !== taskId && { newTaskId: id }) });
      return task;
    } catch (error) {
      const { reason: refusal, message } = hubErrorOf(error);
      note({ outcome: refusal === 'INTERNAL' ? 'failed' : 'refused', refusal, why: message });
      throw error;
    }
  }
}

/** A retry counts for the owner of the task: "you" of a quota that it has used up is not the operator. */
function saidToOwner(error: unknown, owner: string): unknown {
  if (!(error instanceof HubError) || error.reason !== 'QUOTA_EXCEEDED') return error;
  const { reason, metadata, violations, cause, refusal } = error;
  const text = `The retry would be a task of the principal ${owner}, whose quota does not allow it. It says: ${error.message}`;
  return new HubError(reason, text, {
    metadata,
    violations,
    cause,
    ...(refusal && { refusal }),
  });
}

/** The same for each retry of a task: two at once are one. It does not show the task's id to its agent. */
function messageIdOf(taskId: string): string {
  return hash('sha256', `retry:${taskId}`, 'base64url');
}

function retryRequest(
  { record }: TaskAggregate,
  { ...message }: Message,
  by: Operator,
): HubRequest {
  const metadata = withoutRetry(record.requestMetadata);
  const directive = readDirective(message.metadata, metadata);
  const { route } = record;
  // Nothing else but the address of the request can have named the agent then.
  const byAddress = route.reason === 'agent' && directive.agentId === undefined;
  const owner: Principal = {
    id: record.principalId,
    organization: record.organization,
    scopes: new Set(['a2a']),
    ...(record.chain && { chain: record.chain }),
    isStandIn: true,
  };
  return {
    principal: owner,
    version: '1.0',
    agentId: byAddress ? route.chosen[0]?.agentId : undefined,
    extensions: record.extensions,
    activated: new Set(),
    // It belongs to what the task was for.
    traceparent: record.traceparent ?? undefined,
    tracestate: record.tracestate ?? undefined,
    hops: record.hops,
    idempotencyKey: undefined,
    lastEventId: undefined,
    message: { ...message, messageId: messageIdOf(record.id), taskId: '' },
    configuration: {
      acceptedOutputModes: [...record.acceptedOutputModes],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    },
    metadata,
    directive,
    returnImmediately: true,
    retry: { taskId: record.id, by },
  };
}
