// Programs that say where they listen, each a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Starts and ends processes; what was started can only end with `stop`. */
export class Servers {
  #running = [];

  /** Starts a Node program; `{ url, pid }` once it prints `listening on|at URL`. */
  startNode(args, environment) {
    return this.start(process.execPath, args, environment);
  }

  /** Starts a program, in the root of the project and with no other environment than this. */
  start(command, args, environment = {}) {
    const child = spawn(command, args, {
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
        if (url) resolve({ url, pid: child.pid });
      };
      child.stdout.setEncoding('utf8').on('data', look);
      child.stderr.setEncoding('utf8').on('data', look);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${args[0]} ended (${code}): ${output}`)));
    });
  }

  /** Ends everything that was started; resolves when it is gone. */
  async stop() {
    await Promise.all(
      this.#running.map((child) => {
        // One that could not be started has no process to end.
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return gone;
      }),
    );
    this.#running = [];
  }
}
