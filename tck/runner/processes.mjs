// The agent and the hub, each a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AGENT_ID = 'conformance';

/** Starts and ends processes; what was started can only end with `stop`. */
export class Processes {
  #running = [];

  /** Starts the reference agent; resolves with its origin. */
  startAgent({ clientTaskIds }) {
    return this.#start(['tck/agent.mjs', ...(clientTaskIds ? ['--client-task-ids'] : [])]);
  }

  /** Starts a hub on an empty database with the agent behind it; resolves with its origin. */
  async startHub({ agentUrl, directory, clientTaskIds }) {
    const url = await this.#start(['dist/main.js'], {
      A2A_HUB__SERVER__HOST: '127.0.0.1',
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__GRPC__PORT: '-1',
      A2A_HUB__DATABASE__URL: `sqlite:${directory}/hub.db`,
      // The kits have no credentials; their webhooks listen on the loopback.
      A2A_HUB__AUTH__MODE: 'none',
      A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8,::1/128',
      // Nor do their messages say what they are about.
      A2A_HUB__ROUTING__DEFAULT_AGENT: AGENT_ID,
      A2A_HUB__TASKS__ACCEPT_CLIENT_TASK_IDS: String(clientTaskIds),
      // The kits for 0.x want an answer at once where real clients expect to wait.
      A2A_HUB__TASKS__WAIT_UNASKED: 'never',
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
  async stop() {
    await Promise.all(
      this.#running.map((child) => {
        if (child.exitCode !== null || child.signalCode !== null) return undefined;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return gone;
      }),
    );
    this.#running = [];
  }

  #start(args, environment = {}) {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.push(child);
    return new Promise((resolve, reject) => {
      let output = '';
      const look = (text) => {
        // Only the beginning matters; reading on keeps the process from waiting.
        if (output.length > 100_000) return;
        output += text;
        const url = /listening (?:on|at) (http:\S+)\n/.exec(output)?.[1];
        if (url) resolve(url);
      };
      child.stdout.setEncoding('utf8').on('data', look);
      child.stderr.setEncoding('utf8').on('data', look);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${args[0]} ended (${code}): ${output}`)));
    });
  }
}
