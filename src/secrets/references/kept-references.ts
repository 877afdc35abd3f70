import { dirname } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Egress } from '../../common/egress/egress.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { KeptValue } from '../../common/kept-value.js';
import { Log } from '../../common/logger.js';
import { realPathOf } from '../../common/real-path.js';
import { SecretBox } from '../../common/secret-box.js';
import {
  isReferred,
  referredIn,
  type ReferredSecret,
} from '../../common/secret-references/referred-secret.js';
import {
  readReference,
  type ReferenceScheme,
  type SecretReference,
} from '../../common/secret-references/secret-reference.js';
import {
  type ReferenceView,
  SecretReferences,
  SecretUnavailableError,
} from '../../common/secret-references/secret-references.js';
import { TroubleLog } from '../../common/trouble-log.js';
import { AppConfig, variableOf } from '../../config/index.js';
import { sqlitePath } from '../../database/data-source.js';
import { AwsSource } from './aws-source.js';
import { FileSource } from './file-source.js';
import { OwnSecrets } from './own-secrets.js';
import { ReferenceRules } from './reference-rules.js';
import { type SecretSource, SourceError, type SourceTrouble } from './secret-source.js';
import { vaultOf, type VaultParts } from './vault.js';

/** References kept at once; beyond, the oldest is read again when it is needed. */
const MOST = 10_000;
/** A source that failed is not asked for the same secret again sooner. */
const FAILURE_MS = 1000;
/** Who refuses each secret causes no more reads. */
const REFRESH_MS = 1000;
/** How often Vault's token is looked at: one that is near its end is renewed also while nothing is read. */
const KEEP_ALIVE_MS = 15_000;

const USED_ON = 'a referenced secret could not be read again; the last value is used for now';
const UNUSED: Readonly<Record<SourceTrouble, string>> = {
  away: 'a referenced secret cannot be read, and its last value is too old to be used (secrets.staleFor)',
  gone: 'a referenced secret is not there any more and is not used',
  refused: 'a referenced secret may not be used any more and is not',
};

interface Entry {
  readonly referred: ReferredSecret;
  readonly kept: KeptValue<string>;
  /** How long its source says a value is good. */
  readonly freshMs: number;
  /** When it was last read because it was refused, in epoch milliseconds. */
  refreshedAt: number;
  /** That reading. */
  refreshing?: Promise<void>;
}

/** {@link SecretReferences} in variables, files, Vault and AWS. */
@Injectable()
export class KeptReferences
  extends SecretReferences
  implements OnApplicationBootstrap, OnModuleDestroy
{
  /** By their stored form. */
  private readonly entries = new Map<string, Entry>();
  private readonly rules: ReferenceRules;
  private readonly vault: VaultParts | undefined;
  private readonly aws: AwsSource;
  private readonly job: BackgroundJob;
  /** Where the database and the files of its keys are: nothing of it is given through the API. */
  private readonly ownDirectory: string | undefined;
  private readonly own: OwnSecrets;

  constructor(
    private readonly config: AppConfig,
    private readonly box: SecretBox,
    egress: Egress,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
    const { secrets, database } = config;
    this.rules = new ReferenceRules(secrets.references);
    this.own = new OwnSecrets(config);
    this.vault = vaultOf(secrets, egress, clock);
    this.aws = new AwsSource(secrets.refreshMs, secrets.aws, egress);
    const path = sqlitePath(database.url);
    this.ownDirectory =
      path === null || path === ':memory:' ? undefined : dirname(realPathOf(path));
    const rules = {
      name: 'token of Vault',
      failure: 'the token of Vault could not be renewed; it is retried',
      everyMs: KEEP_ALIVE_MS,
      run: async () => this.vault?.tokens.keepAlive(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.vault !== undefined) this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  current(stored: string): string | undefined {
    if (!isReferred(stored)) return stored;
    const { kept, freshMs } = this.entryOf(stored);
    // What was not asked for during a while may have changed long ago: it is read first, if its source can be asked.
    const isRecent = kept.age() < 2 * freshMs || kept.trouble !== undefined;
    return isRecent ? kept.current() : undefined;
  }

  async resolve(stored: string): Promise<string> {
    if (!isReferred(stored)) return stored;
    const known = this.current(stored);
    if (known !== undefined) return known;
    const { referred, kept } = this.entryOf(stored);
    try {
      return await kept.renew();
    } catch (error) {
      const last = kept.current();
      if (last !== undefined) return last;
      throw new SecretUnavailableError(
        `The secret ${referred.reference} ${(error as Error).message}.`,
        error,
      );
    }
  }

  async refresh(stored: string): Promise<void> {
    if (!isReferred(stored)) return;
    const entry = this.entryOf(stored);
    const now = this.clock.now().getTime();
    // Who is refused meanwhile waits for the same reading.
    if (Math.abs(now - entry.refreshedAt) < REFRESH_MS) return entry.refreshing;
    entry.refreshedAt = now;
    entry.refreshing = entry.kept.renew().then(
      () => undefined,
      () => undefined,
    );
    return entry.refreshing;
  }

  async refusalOf(stored: string): Promise<string | undefined> {
    if (!isReferred(stored)) return undefined;
    const { referred, kept } = this.entryOf(stored);
    const refusal = this.rules.refusalOf(read(referred), referred.grantee);
    if (refusal !== undefined) return refusal;
    try {
      await kept.get();
      return undefined;
    } catch (error) {
      return troubleOf(error) === 'refused' ? (error as Error).message : undefined;
    }
  }

  view(stored: string): ReferenceView | undefined {
    if (!isReferred(stored)) return undefined;
    const { referred, kept } = this.entryOf(stored);
    const { reference } = referred;
    const isReadable = kept.current() !== undefined;
    const { trouble } = kept;
    if (trouble === undefined) {
      // Begun now, so that the next look knows.
      if (!isReadable) kept.get().catch(() => undefined);
      return { reference, isReadable: isReadable || null, problem: null };
    }
    const problem = `The secret ${reference} ${(trouble as Error).message}.`;
    return { reference, isReadable: false, problem };
  }

  private entryOf(stored: string): Entry {
    const known = this.entries.get(stored);
    if (known !== undefined) return known;
    const entry = this.made(referredIn(stored));
    evictOldest(this.entries, MOST);
    this.entries.set(stored, entry);
    return entry;
  }

  private made(referred: ReferredSecret): Entry {
    const reference = read(referred);
    const source = this.sourceOf(reference, referred);
    const freshMs = source?.freshMs ?? 0;
    const trouble = new TroubleLog(this.log);
    const kept = new KeptValue<string>(
      {
        read: async () => {
          const secret = await this.secretOf(reference, referred, source);
          trouble.over();
          return secret;
        },
        freshMs,
        keptMs: freshMs + this.config.secrets.staleForMs,
        failureMs: FAILURE_MS,
        endsUse: (error) => troubleOf(error) !== 'away',
        onFailure: (error, isUsed) => {
          const reason = (error as Error).message;
          const fields = { reference: reference.text, reason };
          trouble.warn(fields, isUsed ? USED_ON : UNUSED[troubleOf(error)]);
        },
      },
      this.clock,
    );
    return { referred, kept, freshMs, refreshedAt: 0 };
  }

  private async secretOf(
    reference: SecretReference,
    { prefix, grantee }: ReferredSecret,
    source: SecretSource | undefined,
  ): Promise<string> {
    const refusal = this.rules.refusalOf(reference, grantee);
    if (refusal !== undefined) throw new SourceError('refused', refusal);
    if (source === undefined) {
      throw new SourceError('away', 'cannot be read: secrets.vault.address is not set');
    }
    const value = await source.read(reference);
    if (grantee !== 'configuration' && this.isOwn(value)) {
      throw new SourceError('refused', 'may not be used: it holds a secret of the hub itself');
    }
    return prefix + value;
  }

  private sourceOf(
    reference: SecretReference,
    { grantee }: ReferredSecret,
  ): SecretSource | undefined {
    const sources: Readonly<Record<ReferenceScheme, () => SecretSource | undefined>> = {
      env: () => VARIABLES,
      file: () => new FileSource((real) => this.refusalOfReal(reference, grantee, real)),
      vault: () => this.vault?.source,
      aws: () => this.aws,
    };
    return sources[reference.scheme]();
  }

  private refusalOfReal(
    reference: SecretReference,
    grantee: ReferredSecret['grantee'],
    real: string,
  ): string | undefined {
    if (grantee !== 'configuration' && dirname(real) === this.ownDirectory) {
      return 'may not be used: it is beside the database of the hub';
    }
    if (grantee !== 'configuration' && this.own.isFile(real)) {
      return 'may not be used: it holds a secret of the hub itself';
    }
    return this.rules.refusalOfFile(reference, grantee, real);
  }

  /** Whether a value holds what the hub is kept safe by. */
  private isOwn(value: string): boolean {
    return this.own.isIn(value) || this.box.holdsKey(value);
  }
}

function troubleOf(error: unknown): SourceTrouble {
  return error instanceof SourceError ? error.trouble : 'away';
}

/** Read once: they do not change while a process runs. */
const VARIABLES: SecretSource = {
  freshMs: Infinity,
  read: ({ path }) => {
    const value = variableOf(path);
    return value === undefined || value === ''
      ? Promise.reject(new SourceError('gone', 'is not set for this process'))
      : Promise.resolve(value);
  },
};

function read({ reference }: ReferredSecret): SecretReference {
  const found = readReference(reference);
  if (typeof found === 'string') throw new SecretUnavailableError(`A stored reference ${found}.`);
  return found;
}
