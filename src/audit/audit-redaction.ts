import { principalDigest } from '../common/principal-digest.js';
import type { AuditEntry } from './audit-entry.js';
import { redactedEntry, type RedactionRules } from './domain/redacted-entry.js';

/** Leaves out of entries, before they are hashed, what the settings `audit.redact` do not want in them. */
export class AuditRedaction {
  private readonly changesNothing: boolean;
  private key: string | undefined;

  constructor(
    private readonly rules: RedactionRules,
    /** Reads the key of the digests; not called where there are none. */
    private readonly readKey: () => Promise<string>,
  ) {
    const { address, principals, resourceIds } = rules;
    this.changesNothing = address === 'keep' && principals === 'id' && resourceIds.length === 0;
  }

  /** Of what has no callers: no digest is ever needed. */
  static withoutPrincipals(rules: RedactionRules): AuditRedaction {
    return new AuditRedaction({ ...rules, principals: 'id' }, () => Promise.resolve(''));
  }

  /** To be waited for before the others. Rejects while the key of the digests cannot be read. */
  async prepare(): Promise<void> {
    if (this.rules.principals === 'digest') this.key ??= await this.readKey();
  }

  /** The entry as it may be stored. */
  entry(entry: AuditEntry): AuditEntry {
    if (this.changesNothing) return entry;
    return redactedEntry(entry, this.rules, (id) => this.principal(id));
  }

  /** How entries name a principal. */
  principal(id: string): string {
    if (this.rules.principals === 'id') return id;
    if (this.key === undefined) throw new Error('The key of the digests has not been read.');
    return principalDigest(this.key, id);
  }
}
