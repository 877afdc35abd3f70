import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';
import {
  AGENT_TOO_LATE,
  type AgentCallOptions,
  AgentClient,
  type AgentSend,
} from '../client/agent-client.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentCallOutcome, AgentCalls, AgentOperation } from './agent-calls.js';
import type { AgentMonitor, Call } from './agent-monitor.js';
import { signOf } from './domain/health-sign.js';

/**
 * An {@link AgentClient} that tells the monitor what each call came to. A call has one outcome: that
 * of a stream is its first event. One that the hub broke off has none, unless the agent was too late.
 */
export class ObservedAgentClient extends AgentClient {
  constructor(
    private readonly client: AgentClient,
    private readonly monitor: Pick<AgentMonitor, 'began' | 'answered' | 'failed' | 'broke'>,
    private readonly calls: Pick<AgentCalls, 'ended'>,
  ) {
    super();
  }

  stream(agent: Agent, send: AgentSend, options: AgentCallOptions): AsyncIterable<StreamResponse> {
    const events = this.client.stream(agent, send, options);
    return this.events(agent, 'SendStreamingMessage', options, events);
  }

  subscribe(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): AsyncIterable<StreamResponse> {
    const events = this.client.subscribe(agent, downstreamTaskId, options);
    return this.events(agent, 'SubscribeToTask', options, events);
  }

  send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    return this.call(agent, 'SendMessage', options, () => this.client.send(agent, send, options));
  }

  getTask(agent: Agent, downstreamTaskId: string, options: AgentCallOptions): Promise<Task> {
    return this.call(agent, 'GetTask', options, () =>
      this.client.getTask(agent, downstreamTaskId, options),
    );
  }

  cancel(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    return this.call(agent, 'CancelTask', options, () =>
      this.client.cancel(agent, downstreamTaskId, options, metadata),
    );
  }

  findTasksByMessage(
    agent: Agent,
    downstreamContextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    return this.call(agent, 'ListTasks', options, () =>
      this.client.findTasksByMessage(agent, downstreamContextId, messageId, options),
    );
  }

  private async call<T>(
    agent: Agent,
    operation: AgentOperation,
    { signal }: AgentCallOptions,
    run: () => Promise<T>,
  ): Promise<T> {
    const call = this.monitor.began(agent);
    const count = this.counting(agent, operation);
    try {
      const answer = await run();
      this.monitor.answered(call);
      count('ok');
      return answer;
    } catch (error) {
      this.note(call, error, signal);
      count(outcomeOf(error, signal));
      throw error;
    }
  }

  /** Only the first event is looked at; the others pass untouched. */
  private events(
    agent: Agent,
    operation: AgentOperation,
    { signal }: AgentCallOptions,
    source: AsyncIterable<StreamResponse>,
  ): AsyncIterable<StreamResponse> {
    return {
      [Symbol.asyncIterator]: () => {
        const events = source[Symbol.asyncIterator]();
        let isFirst = true;
        const first = async (): Promise<IteratorResult<StreamResponse>> => {
          isFirst = false;
          const call = this.monitor.began(agent);
          const count = this.counting(agent, operation);
          try {
            const result = await events.next();
            if (!result.done) this.monitor.answered(call);
            else if (!signal.aborted) this.monitor.broke(call, 'the stream ended without an event');
            count(!result.done ? 'ok' : signal.aborted ? 'dropped' : 'empty');
            return result;
          } catch (error) {
            this.note(call, error, signal);
            count(outcomeOf(error, signal));
            throw error;
          }
        };
        return {
          next: () => (isFirst ? first() : events.next()),
          return: async () => (await events.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }

  /** To be called with what a call that begins now has come to. */
  private counting(agent: Agent, operation: AgentOperation): (outcome: AgentCallOutcome) => void {
    const began = performance.now();
    return (outcome) => {
      const seconds = (performance.now() - began) / 1000;
      this.calls.ended({ agentId: agent.id, operation, outcome, seconds });
    };
  }

  private note(call: Call, error: unknown, signal: AbortSignal): void {
    if (!(error instanceof AgentCallError)) return;
    if (!signal.aborted) return this.monitor.failed(call, error);
    if (signal.reason === AGENT_TOO_LATE) this.monitor.broke(call, 'no answer in time');
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): AgentCallOutcome {
  if (!(error instanceof AgentCallError) || signOf(error) === 'nothing') return 'hub';
  if (!signal.aborted) return error.kind;
  return signal.reason === AGENT_TOO_LATE ? 'late' : 'dropped';
}
