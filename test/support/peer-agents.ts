import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type Hub, startHub } from './app.js';

/** One hub for all tests of a file; the agents of each test leave it when the test ends. */
export class PeerAgents {
  private running!: Hub;
  private readonly leaving: (() => Promise<unknown>)[] = [];

  constructor() {
    beforeAll(async () => {
      this.running = await startHub();
    });
    afterEach(async () => {
      for (const leave of this.leaving.splice(0)) await leave();
    });
    afterAll(() => this.running.close());
  }

  get hub(): Hub {
    return this.running;
  }

  /** Registers the agent at `url` until the test ends; `close` then ends the agent itself. */
  async register(url: string, id: string, close: () => Promise<unknown>): Promise<void> {
    this.leaving.push(async () => {
      await this.hub.admin('DELETE', `/api/v1/agents/${id}`);
      await close();
    });
    await this.hub.registerAgent(url, { id });
  }
}
