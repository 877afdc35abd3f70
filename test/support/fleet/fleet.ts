import type { HubClient } from '../hub-client.js';
import { behavioursOfThirty, type Behaviour, type Gate } from './behaviours.js';
import { FleetAgent } from './fleet-agent.js';

/** Thirty agents with declared faults, each with its ledger. */
export class Fleet {
  private constructor(
    readonly agents: readonly FleetAgent[],
    /** Closed, it holds every task that is begun: so a test decides what is in flight. */
    readonly gate: Gate,
  ) {}

  static async start(): Promise<Fleet> {
    const gate = { open: true };
    const counts = new Map<string, number>();
    const idOf = ({ name }: Behaviour): string => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return `${name}-${count}`;
    };
    const agents = await Promise.all(
      behavioursOfThirty(gate).map((behaviour) => FleetAgent.start(idOf(behaviour), behaviour)),
    );
    return new Fleet(agents, gate);
  }

  agent(id: string): FleetAgent {
    const found = this.agents.find((each) => each.id === id);
    if (!found) throw new Error(`no agent ${id} in the fleet`);
    return found;
  }

  /** The agents of these behaviours. */
  named(...names: readonly string[]): FleetAgent[] {
    return this.agents.filter(({ behaviour }) => names.includes(behaviour.name));
  }

  /** How many tasks the agents work on now. */
  get running(): number {
    return this.agents.reduce((sum, { running }) => sum + running.length, 0);
  }

  async register(hub: HubClient): Promise<void> {
    for (const agent of this.agents) await agent.register(hub);
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.close()));
  }
}
