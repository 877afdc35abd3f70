import { type ChildProcess, fork } from 'node:child_process';

const PROGRAM = new URL('hostile-parties.mjs', import.meta.url).pathname;

export interface HostileParties {
  /** Takes and sends what the head of the program says; disconnecting ends it. */
  readonly process: ChildProcess;
  /** Each agent is at a path of its own name below it. */
  readonly url: string;
}

/** Starts the agents of `hostile-parties.mjs`, whose large answers have so many MiB. */
export async function startHostileParties(sizeMib: number): Promise<HostileParties> {
  const parties = fork(PROGRAM, [], { env: { CHAOS_SIZE: String(sizeMib) }, execArgv: [] });
  const url = await new Promise<string>((resolve) => {
    parties.on('message', (said: { url?: string }) => {
      if (said.url !== undefined) resolve(said.url);
    });
  });
  return { process: parties, url };
}
