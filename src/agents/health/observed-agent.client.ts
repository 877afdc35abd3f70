import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';
import {
  AGENT_TOO_LATE,
  type AgentCallOptions,
  AgentClient,
  type AgentSend,
} from '../client/agent-client.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import type { AgentMonitor, Call } from './agent-monitor.js';

/**
 * An {@link AgentClient} that tells the monitor what each call came to. A call has one outcome: that
 * of a stream is its first event. One that the hub broke off has none, unless the agent was too late.
 */
export class ObservedAgentClient extends AgentClient {
  constructor(
    private readonly client: AgentClient,
    private readonly monitor: Pick<AgentMonitor, 'began' | 'answered' | 'failed' | 'broke'>,
  ) {
    super();
  }

  stream(agent: Agent, send: AgentSend, options: AgentCallOptions): AsyncIterable<StreamResponse> {
    return this.events(agent, options, this.client.stream(agent, send, options));
  }

  subscribe(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): AsyncIterable<StreamResponse> {
    return this.events(agent, options, this.client.subscribe(agent, downstreamTaskId, options));
  }

  send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    return this.call(agent, options, () => this.client.send(agent, send, options));
  }

  getTask(agent: Agent, downstreamTaskId: string, options: AgentCallOptions): Promise<Task> {
    return this.call(agent, options, () => this.client.getTask(agent, downstreamTaskId, options));
  }

  cancel(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    return this.call(agent, options, () =>
      this.client.cancel(agent, downstreamTaskId, options, metadata),
    );
  }

  findTasksByMessage(
    agent: Agent,
    downstreamContextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    return this.call(agent, options, () =>
      this.client.findTasksByMessage(agent, downstreamContextId, messageId, options),
    );
  }

  private async call<T>(
    agent: Agent,
    { signal }: AgentCallOptions,
    run: () => Promise<T>,
  ): Promise<T> {
    const call = this.monitor.began(agent);
    try {
      const answer = await run();
      this.monitor.answered(call);
      return answer;
    } catch (error) {
      this.note(call, error, signal);
      throw error;
    }
  }

  /** Only the first event is looked at; the others pass untouched. */
  private events(
    agent: Agent,
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
          try {
            const result = await events.next();
            if (!result.done) this.monitor.answered(call);
            else if (!signal.aborted) this.monitor.broke(call, 'the stream ended without an event');
            return result;
          } catch (error) {
            this.note(call, error, signal);
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

  private note(call: Call, error: unknown, signal: AbortSignal): void {
    if (!(error instanceof AgentCallError)) return;
    if (!signal.aborted) return this.monitor.failed(call, error);
    if (signal.reason === AGENT_TOO_LATE) this.monitor.broke(call, 'no answer in time');
  }
}
