import type { HubClient } from '../hub-client.js';
import type { JsonObject } from '../json.js';
import type { LiveTask } from '../live-task.js';
import { ScriptedAgent, type ScriptedCall } from '../scripted-agent.js';
import type { Behaviour } from './behaviours.js';

const SENDS: ReadonlySet<string> = new Set(['SendMessage', 'SendStreamingMessage']);

/** An agent of the fleet and the ledger of what it was given and told. */
export class FleetAgent {
  private constructor(
    readonly id: string,
    readonly behaviour: Behaviour,
    private readonly agent: ScriptedAgent,
  ) {}

  static async start(id: string, behaviour: Behaviour): Promise<FleetAgent> {
    const { dialect, live, streaming = true } = behaviour;
    const agent = await ScriptedAgent.start({
      name: nameOf(id),
      streaming,
      skills: [{ id: 'work', tags: ['fleet', id, behaviour.name] }],
      ...(dialect && { dialect }),
      ...(live && { live }),
    });
    const answer = behaviour.answer;
    if (answer) {
      for (const method of SENDS) {
        agent.handlers[method] = (call) =>
          call.message['taskId'] ? agent.serve(call) : answer(agent, call);
      }
    }
    Object.assign(agent.handlers, behaviour.handlers?.(agent));
    return new FleetAgent(id, behaviour, agent);
  }

  /** As people read it. */
  get name(): string {
    return nameOf(this.id);
  }

  /** Every message it was sent, oldest first. */
  get messages(): ScriptedCall[] {
    return this.agent.calls.filter(({ method }) => SENDS.has(method));
  }

  /** Every task it has begun, oldest first. */
  get tasks(): LiveTask[] {
    return [...this.agent.tasks.values()];
  }

  /** The tasks it still works on; one that waits for an answer is none. */
  get running(): LiveTask[] {
    return this.tasks.filter((task) => !task.ended && task.state !== 'TASK_STATE_INPUT_REQUIRED');
  }

  /** The ids of tasks it was told to cancel. */
  get cancels(): string[] {
    return this.agent.callsOf('CancelTask').map(({ params }) => String(params['id']));
  }

  /** Registers it; one that is dead is gone afterwards. */
  async register(hub: HubClient, fields: JsonObject = {}): Promise<void> {
    await hub.registerAgent(this.agent.url, { id: this.id, ...fields });
    if (this.behaviour.dead) await this.agent.close();
  }

  async close(): Promise<void> {
    if (!this.behaviour.dead) await this.agent.close();
  }
}

function nameOf(id: string): string {
  return `Agent ${id}`;
}
