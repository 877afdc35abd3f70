import type { IdSource } from '../common/ids.js';
import type { Database } from './database.js';

/** Bytes of the secrets that page tokens and callback tokens are made of. */
const SECRET_BYTES = 32;

/** Values this installation makes once and keeps for ever; the same in every process. */
export class HubSettings {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {}

  /** This hub's own id, by which it recognises itself in cards and hops. */
  instanceId(): Promise<string> {
    return this.once('instance-id', () => this.ids.next());
  }

  /** The key that signs the page tokens of lists, so that they hold in every process. */
  pageTokenSecret(): Promise<string> {
    return this.once('page-token-secret', () => this.ids.secret(SECRET_BYTES));
  }

  /** What the tokens are made of by which agents prove themselves when they call back. */
  callbackSecret(): Promise<string> {
    return this.once('agent-callback-secret', () => this.ids.secret(SECRET_BYTES));
  }

  /** The stored value of `key`; made by `make` when there is none. The first process to store wins. */
  async once(key: string, make: () => string): Promise<string> {
    const known = this.known.get(key) ?? (await this.stored(key));
    if (known !== undefined) return known;
    const value = make();
    await this.database.write(function* (tx) {
      yield* tx.run(
        'INSERT INTO hub_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
        [key, value],
      );
    });
    return (await this.stored(key)) ?? value;
  }

  private async stored(key: string): Promise<string | undefined> {
    const [row] = await this.database.read<{ value: string }>(
      'SELECT value FROM hub_settings WHERE key = ?',
      [key],
    );
    if (row !== undefined) this.known.set(key, row.value);
    return row?.value;
  }
}
