import { ConnectError } from '../../common/egress/egress.js';
import { HubError } from '../../common/hub-error.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import type { AgentMethod } from '../binding/agent-method.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { type EndpointMemory, serverOf } from './endpoint-memory.js';

/** What every server has, in 1.0 and in 0.3: not knowing one of them tells the version. */
const MANDATORY: ReadonlySet<AgentMethod> = new Set(['SendMessage', 'GetTask', 'CancelTask']);

/**
 * What the hub asks of servers of 1.0 only: 0.3 has no ListTasks, and a second subscriber there may double
 * what the agent stores.
 */
const ONLY_IN_10: ReadonlySet<AgentMethod> = new Set(['ListTasks', 'SubscribeToTask']);

/** Refusals that only a server gives that has the method. */
const KNOWS_METHOD: ReadonlySet<number | undefined> = new Set([
  ERROR_CODES.TASK_NOT_FOUND,
  ERROR_CODES.TASK_NOT_CANCELABLE,
]);

/**
 * Which interface of an agent one call goes to, and which one next when that fails:
 * - one that cannot be connected to: the next one of the card; nothing was sent, so nothing is done twice;
 * - one that does not speak 1.0 after all: the same binding in 0.3, once, unless the operator pinned the
 *   version; one that was taken for 0.3 and is not: 1.0 again. The agent said by its error that it did not
 *   take the call, so it may get it again.
 *
 * What was learned is kept for the calls after it ({@link EndpointMemory}).
 */
export class CallPlan {
  /** The card's interface that is tried. */
  private listed: AgentEndpoint;
  /** What is called for it: itself, or the same binding in 0.3. */
  private called: AgentEndpoint;
  private others: readonly AgentEndpoint[];
  /** The failure that the first interface tried ended with. */
  private first: AgentCallError | undefined;
  /** How `listed` refused 1.0 in this call. */
  private refusedIn10: AgentCallError | undefined;

  constructor(
    private readonly agent: Agent,
    private readonly memory: EndpointMemory,
    private readonly method: AgentMethod,
  ) {
    const [best, ...others] = memory.inOrder(agent);
    this.listed = best;
    this.called = memory.spoken(agent, best);
    this.others = others;
  }

  /** Where the call goes now. Throws the call's error when the method is not for the version spoken there. */
  get current(): AgentEndpoint {
    if (ONLY_IN_10.has(this.method) && this.called.protocolVersion !== '1.0') {
      throw (
        this.first ??
        this.refusedIn10 ??
        new AgentCallError('rejected', `the hub does not call ${this.method} in 0.3`)
      );
    }
    return this.called;
  }

  /** The agent answered, in the version it was spoken to in. */
  answered(): void {
    this.memory.reached(this.agent, this.called);
    if (this.refusedIn10 !== undefined) this.memory.keepDowngraded(this.agent, this.listed);
  }

  /**
   * What follows a failure before any event: nothing when {@link current} is to be tried now, else the
   * error that the call ends with.
   */
  failed(failure: AgentCallError): AgentCallError | undefined {
    if (failure.kind === 'unreachable') return this.passOver(failure);
    if (this.refusesVersion(failure)) return this.otherVersion(failure);
    if (KNOWS_METHOD.has(failure.detail.code)) this.answered();
    else if (failure.kind === 'rejected') this.memory.reached(this.agent, this.called);
    return failure;
  }

  private passOver(failure: AgentCallError): AgentCallError | undefined {
    const server = deadServer(failure, this.called);
    if (wasTried(failure)) this.memory.lost(this.agent, this.called, server);
    this.first ??= this.refusedIn10 ?? failure;
    this.refusedIn10 = undefined;
    const [next, ...others] = this.others.filter(
      (one) => one !== this.called && serverOf(one) !== server,
    );
    if (next === undefined) return this.first;
    this.listed = next;
    this.called = this.memory.spoken(this.agent, next);
    this.others = others;
    return undefined;
  }

  private refusesVersion({ kind, detail }: AgentCallError): boolean {
    if (kind !== 'rejected') return false;
    if (detail.code === ERROR_CODES.VERSION_NOT_SUPPORTED) return true;
    return MANDATORY.has(this.method) && detail.code === ERROR_CODES.METHOD_NOT_FOUND;
  }

  private otherVersion(failure: AgentCallError): AgentCallError | undefined {
    // Neither version is spoken: the first answer tells more.
    if (this.refusedIn10 !== undefined) return this.refusedIn10;
    if (this.called !== this.listed) {
      this.memory.forgetDowngraded(this.agent, this.listed);
      this.called = this.listed;
      return undefined;
    }
    const older = this.memory.older(this.agent, this.listed);
    if (older === undefined) return failure;
    this.refusedIn10 = failure;
    this.called = older;
    return undefined;
  }
}

/** Whether it was the way to the agent that failed, and not something in the call itself. */
function wasTried({ cause, detail }: AgentCallError): boolean {
  if (detail.agentUnasked === true) return false;
  return cause instanceof ConnectError || cause instanceof HubError;
}

/** The server, when it is not there for its other interfaces either. */
function deadServer({ cause }: AgentCallError, endpoint: AgentEndpoint): string | undefined {
  return cause instanceof ConnectError && cause.noServer ? serverOf(endpoint) : undefined;
}
