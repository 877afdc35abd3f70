import { lookup } from 'node:dns/promises';

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Turns host names into addresses; rejects when a name has none. */
export interface Resolver {
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>;
}

/**
 * The operating system's resolver. It answers one question at a time about each name: Node resolves on
 * four threads, and a name whose servers do not answer must not take all of them from the others.
 */
export class SystemResolver implements Resolver {
  private readonly asked = new Map<string, Promise<readonly ResolvedAddress[]>>();

  resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    const known = this.asked.get(hostname);
    if (known !== undefined) return known;
    const answer = this.look(hostname).finally(() => this.asked.delete(hostname));
    this.asked.set(hostname, answer);
    return answer;
  }

  private async look(hostname: string): Promise<readonly ResolvedAddress[]> {
    return (await lookup(hostname, { all: true })) as ResolvedAddress[];
  }
}
