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

/** libuv's default. */
const DEFAULT_THREADS = 4;
/** How long a lookup waits for its turn, milliseconds. */
const MAX_WAIT_MS = 5000;
/** Names of which it is remembered how they resolved last. */
const MAX_NAMES = 10_000;

/** How a name resolved last: `new` when it never has. */
type Reputation = 'good' | 'new' | 'bad';

/** Those that may hold a thread for long. */
type Doubtful = Exclude<Reputation, 'good'>;

interface Waiting {
  readonly reputation: Doubtful;
  readonly start: () => void;
}

/**
 * The operating system's resolver. Node resolves on a few threads, and a name whose servers do not answer
 * holds one for many seconds. So that such names do not stop all others, a name that did not resolve last
 * time takes a quarter of the threads at most, and it and names nobody has asked for all but one; names
 * that did resolve wait for nobody. Of one name one question is asked at a time.
 */
export class SystemResolver implements Resolver {
  private readonly requested = new Map<string, Promise<readonly ResolvedAddress[]>>();
  private readonly reputations = new Map<string, Exclude<Reputation, 'new'>>();
  private readonly underWay = { new: 0, bad: 0 };
  private readonly waiting = new Set<Waiting>();

  constructor(
    /** Of the process; each lookup that is under way takes one. */
    private readonly threads = DEFAULT_THREADS,
    private readonly look: (hostname: string) => Promise<readonly ResolvedAddress[]> = addressesOf,
  ) {}

  /** Rejects with the code EAI_AGAIN when its turn has not come within 5 s. */
  resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    const known = this.requested.get(hostname);
    if (known !== undefined) return known;
    const answer = this.ask(hostname).finally(() => this.requested.delete(hostname));
    this.requested.set(hostname, answer);
    return answer;
  }

  private async ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    const reputation = this.reputations.get(hostname) ?? 'new';
    if (reputation === 'good') return this.lookUp(hostname);
    await this.place(reputation);
    try {
      return await this.lookUp(hostname);
    } finally {
      this.underWay[reputation] -= 1;
      this.startNext();
    }
  }

  private async lookUp(hostname: string): Promise<readonly ResolvedAddress[]> {
    try {
      const found = await this.look(hostname);
      this.remember(hostname, 'good');
      return found;
    } catch (error) {
      this.remember(hostname, 'bad');
      throw error;
    }
  }

  /** Counted as under way when it resolves. */
  private async place(reputation: Doubtful): Promise<void> {
    if (this.hasCapacity(reputation)) {
      this.underWay[reputation] += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(entry);
        const busy = new Error('all lookups wait for names whose servers do not answer');
        reject(Object.assign(busy, { code: 'EAI_AGAIN' }));
      }, MAX_WAIT_MS);
      const start = (): void => {
        clearTimeout(timer);
        this.waiting.delete(entry);
        this.underWay[reputation] += 1;
        resolve();
      };
      const entry: Waiting = { reputation, start };
      this.waiting.add(entry);
    });
  }

  private startNext(): void {
    for (const { reputation, start } of this.waiting) {
      if (!this.hasCapacity('new')) return;
      if (this.hasCapacity(reputation)) start();
    }
  }

  private hasCapacity(reputation: Doubtful): boolean {
    const { new: fresh, bad } = this.underWay;
    if (reputation === 'bad' && bad >= Math.max(1, Math.floor(this.threads / 4))) return false;
    return fresh + bad < Math.max(1, this.threads - 1);
  }

  private remember(hostname: string, reputation: 'good' | 'bad'): void {
    this.reputations.delete(hostname);
    this.reputations.set(hostname, reputation);
    if (this.reputations.size <= MAX_NAMES) return;
    for (const oldest of this.reputations.keys()) {
      this.reputations.delete(oldest);
      break;
    }
  }
}

async function addressesOf(hostname: string): Promise<readonly ResolvedAddress[]> {
  return (await lookup(hostname, { all: true })) as ResolvedAddress[];
}
