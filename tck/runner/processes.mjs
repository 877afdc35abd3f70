// The agent and the hub, each a process of its own.
import { HUB_ARGUMENTS } from '../../scripts/hub-command.mjs';
import { Servers } from '../../scripts/servers.mjs';

const AGENT_ID = 'conformance';

/** Starts and ends processes; what was started can only end with `stop`. */
export class Processes {
  #servers = new Servers();

  /** Starts the reference agent; resolves with its origin. */
  async startAgent({ clientTaskIds }) {
    const flags = clientTaskIds ? ['--client-task-ids'] : [];
    return (await this.#servers.startNode(['tck/agent.mjs', ...flags])).url;
  }

  /** Starts a hub on an empty database with the agent behind it; resolves with its origin. */
  async startHub({ agentUrl, directory, clientTaskIds }) {
    const { url } = await this.#servers.startNode(HUB_ARGUMENTS, {
      A2A_HUB__SERVER__HOST: '127.0.0.1',
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__GRPC__PORT: '-1',
      A2A_HUB__DATABASE__URL: `sqlite:${directory}/hub.db`,
      // The kits have no credentials; their webhooks listen on the loopback.
      A2A_HUB__AUTH__MODE: 'none',
      A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8,::1/128',
      A2A_HUB__PUSH__ALLOW: '127.0.0.0/8,::1/128',
      // Nor do their messages say what they are about.
      A2A_HUB__ROUTING__DEFAULT_AGENT: AGENT_ID,
      A2A_HUB__TASKS__ACCEPT_CLIENT_TASK_IDS: String(clientTaskIds),
      // The kits for 0.x want an answer at once where real clients expect to wait.
      A2A_HUB__TASKS__BLOCKING_DEFAULT: 'never',
      A2A_HUB__CARD__GRPC_URL: 'url',
      A2A_HUB__LOG__LEVEL: 'warn',
    });
    const response = await fetch(`${url}/api/v1/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: AGENT_ID, cardUrl: `${agentUrl}/1.0` }),
    });
    if (!response.ok) throw new Error(`The hub refused the agent: ${await response.text()}`);
    return url;
  }

  /** Ends everything that was started; resolves when it is gone. */
  stop() {
    return this.#servers.stop();
  }
}
