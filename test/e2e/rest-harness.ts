import { expect } from '@jest/globals';
import type { Message, Task } from '@a2a-js/sdk';
import { type AgentTurn, type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';

export const WEBHOOK = 'https://example.com/hook';
/** The id of no task. */
export const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** A hub with agents of the SDK, as the tests of HTTP+JSON ask them. */
export interface RestHub {
  readonly hub: Hub;
  /** In the order of their ids. */
  readonly agents: readonly RunningAgent[];
  close(): Promise<void>;
}

/** What the agents do, by the message's text. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.text === 'reply') {
    turn.reply('just a message');
    return;
  }
  turn.task();
  if (turn.text === 'ask') turn.askForInput('Which one?');
  else if (turn.text === 'wait') await turn.pause(30_000);
  else if (turn.text === 'parts') turn.artifactOf('parts', turn.message.parts).complete();
  else turn.artifact('answer', `echo of ${turn.text}`).complete('done');
}

export async function startRestHub(...ids: readonly string[]): Promise<RestHub> {
  const hub = await startHub();
  const agents: RunningAgent[] = [];
  for (const id of ids) {
    const agent = await startSdkAgent({ name: id, execute: behave });
    agents.push(agent);
    await hub.registerAgent(agent.url, { id });
  }
  return {
    hub,
    agents,
    close: async () => {
      await hub.close();
      await Promise.all(agents.map((agent) => agent.close()));
    },
  };
}

/** The task that a send is answered with. */
export function taskOf(result: Message | Task): Task {
  if (!('status' in result)) throw new Error('a message where a task was awaited');
  return result;
}

/** The agent `echo`'s tasks of the ordinary client, with a push config each, and a stranger to them. */
export class ForeignTasks {
  private constructor(
    readonly strangersKey: string,
    readonly ended: string,
    readonly waiting: string,
  ) {}

  static async of(hub: Hub): Promise<ForeignTasks> {
    const key = await hub.createKey({ name: 'stranger', organization: 'elsewhere' });
    const metadata = { agentId: 'echo' };
    const ended = (await hub.send('hello', { metadata }))['task'].id;
    const waiting = (await hub.send('ask', { metadata }))['task'].id;
    for (const taskId of [ended, waiting]) {
      await hub.rpc('CreateTaskPushNotificationConfig', { taskId, id: 'config', url: WEBHOOK });
    }
    return new ForeignTasks(key, ended, waiting);
  }

  /** Asks for a task that is none: each of these is, byte for byte, answered as that is. */
  async areAsUnknown(ask: (id: string) => Promise<HttpAnswer>): Promise<[number, string]> {
    const answer = async (id: string): Promise<[number, string]> => {
      const { status, text } = await ask(id);
      return [status, text];
    };
    const unknown = await answer(UNKNOWN);
    expect(await answer(this.ended)).toEqual(unknown);
    expect(await answer(this.waiting)).toEqual(unknown);
    return unknown;
  }
}
