import { type AgentTurn, type RunningAgent, startSdkAgent } from './agents.js';
import { type Hub, startHub } from './app.js';
import { type RawAnswer, rawHttp } from './raw-http.js';

/** A hub with one agent behind it, as clients of other SDKs meet it. */
export interface PeersHub {
  readonly hub: Hub;
  readonly agent: RunningAgent;
  /** A request as it was recorded, with the key of a client. */
  send(head: readonly string[], body?: string, begun?: () => void): Promise<RawAnswer>;
  /** The same for a stream of this task, which is canceled once the stream is open. */
  follow(taskId: string, head: readonly string[], body?: string): Promise<RawAnswer>;
  /** Begins a task that is worked on until it is canceled; its id. */
  begin(): Promise<string>;
  /** A task that has ended; its id. */
  finish(): Promise<string>;
  close(): Promise<void>;
}

export async function startPeersHub(): Promise<PeersHub> {
  const config = { grpc: { port: -1 }, routing: { defaultAgent: 'worker' } };
  const [hub, agent] = await Promise.all([startHub({ config }), startSdkAgent({ execute: work })]);
  await hub.registerAgent(agent.url, { id: 'worker' });
  const authorization = `Authorization: Bearer ${await hub.key()}`;
  const send: PeersHub['send'] = ([line = '', ...headers], body, begun) =>
    rawHttp(hub.url, [line, authorization, ...headers], body, begun);
  return {
    hub,
    agent,
    send,
    async follow(id, head, body) {
      let canceled: Promise<unknown> | undefined;
      const answer = await send(head, body, () => {
        canceled = hub.rpc('CancelTask', { id });
      });
      await canceled;
      return answer;
    },
    async begin() {
      const { id } = await hub.submit('wait');
      await hub.waitForTask(id as string, 'TASK_STATE_WORKING');
      return id as string;
    },
    finish: async () => (await hub.send('finish'))['task'].id as string,
    close: async () => {
      await hub.close();
      await agent.close();
    },
  };
}

/** What the agent does, by the text of the message. */
async function work(turn: AgentTurn): Promise<void> {
  if (turn.isFollowUp) return void turn.task().complete(`you said ${turn.text}`);
  if (turn.text === 'ask') return void turn.task().askForInput('Which one?');
  turn.task().working('on it');
  if (turn.text === 'wait') return turn.untilCanceled();
  // Long enough that an answer which does not wait is not the finished task.
  if (turn.text === 'take your time') await turn.pause(100);
  turn.artifact('result', 'first line\nsecond line ', { lastChunk: false });
  turn.artifact('result', 'and the end', { append: true }).complete();
}
