import type { Agent, AgentEndpoint } from '../agent.js';
import type { AgentCallError } from '../agent-client.js';
import { type EndpointMemory, serverOf } from './endpoint-memory.js';

/** VersionNotSupportedError (A2A §5.4), and a method nobody knows by that name. */
const VERSION_NOT_SUPPORTED = -32009;
const METHOD_NOT_FOUND = -32601;

/**
 * Which interface of an agent one call goes to, and which one next when that fails:
 * - one that cannot be connected to: the next one of the card; nothing was sent, so nothing is done twice;
 * - one that does not speak 1.0 after all: the same binding in 0.3, once, unless the operator pinned the
 *   version. The agent said by its error that it did not take the call, so it may get it again.
 *
 * What was learned is kept for the calls after it ({@link EndpointMemory}).
 */
export class CallPlan {
  private endpoint: AgentEndpoint;
  private others: readonly AgentEndpoint[];
  /** The failure that the first interface tried ended with. */
  private first: AgentCallError | undefined;
  private refusedIn10: AgentCallError | undefined;

  constructor(
    private readonly agent: Agent,
    private readonly memory: EndpointMemory,
    /** Whether every server of 1.0 has the method, so that not knowing it tells the version. */
    private readonly mandatory: boolean,
  ) {
    const [best, ...others] = memory.inOrder(agent);
    this.endpoint = best;
    this.others = others;
  }

  /** Where the call goes now. */
  get current(): AgentEndpoint {
    return this.endpoint;
  }

  /** The agent answered. */
  answered(): void {
    this.memory.reached(this.agent, this.endpoint);
    if (this.refusedIn10 !== undefined) this.memory.keepDowngraded(this.agent, this.endpoint);
  }

  /**
   * What follows a failure before any event: nothing when {@link current} is to be tried now, else the
   * error that the call ends with.
   */
  failed(failure: AgentCallError): AgentCallError | undefined {
    if (failure.kind === 'unreachable') return this.passOver(failure);
    if (this.refusesVersion(failure)) return this.downgrade(failure);
    if (failure.kind === 'rejected' || failure.kind === 'not-found') this.answered();
    return failure;
  }

  private passOver(failure: AgentCallError): AgentCallError | undefined {
    this.memory.lost(this.agent, this.endpoint);
    this.first ??= this.refusedIn10 ?? failure;
    const server = serverOf(this.endpoint);
    const [next, ...others] = this.others.filter((one) => serverOf(one) !== server);
    if (next === undefined) return this.first;
    this.endpoint = next;
    this.others = others;
    return undefined;
  }

  private refusesVersion({ kind, detail }: AgentCallError): boolean {
    if (kind !== 'rejected') return false;
    if (detail.code === VERSION_NOT_SUPPORTED) return true;
    return this.mandatory && detail.code === METHOD_NOT_FOUND;
  }

  private downgrade(failure: AgentCallError): AgentCallError | undefined {
    // Neither version is spoken: the first answer tells more.
    if (this.refusedIn10 !== undefined) return this.refusedIn10;
    const older = this.memory.older(this.agent, this.endpoint);
    if (older === undefined) return failure;
    this.refusedIn10 = failure;
    this.endpoint = older;
    return undefined;
  }
}
