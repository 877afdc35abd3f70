import { EVERYTHING, type Visibility } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import type { DataOwner, DataRemoval } from '../../common/owned-data.js';
import { withFirstOf } from '../../common/with-first-of.js';
import type { Database } from '../../database/database.js';
import { OwnedRows } from '../../database/owned-rows.js';
import type { ConsentEnder } from '../consents/consent-ender.js';
import type { ConsentFilter, ConsentStore } from '../consents/consent-store.js';
import { ConsentEntity } from './consent.entity.js';

/** Ended at once: a provider that does not answer is waited for once for all of them. */
const PIECE = 20;
/** How long providers are waited for, for all consents of an owner. */
const WAIT_MS = 60_000;

/** Consents, which end at their provider before they are deleted. */
export class OwnedConsents extends OwnedRows<ConsentEntity> {
  override readonly endsWithOwner = true;

  constructor(
    database: Database,
    private readonly consents: Pick<ConsentStore, 'list'>,
    private readonly ender: ConsentEnder,
    private readonly clock: Clock,
  ) {
    super(database, {
      kind: 'consents',
      entity: ConsentEntity,
      key: ['organization', 'id'],
      ofOrganization: 'organization = ?',
      ofPrincipal: 'principal_id = ?',
      hidden: ['client'],
    });
  }

  override async end(owner: DataOwner, _: DataRemoval, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const cancel = this.clock.after(WAIT_MS, () => over.abort());
    const all = (until: AbortSignal): Promise<void> => this.endAll(owner, signal, until);
    await withFirstOf([signal, over.signal], all).finally(cancel);
  }

  /** Providers are waited for until `over`. */
  private async endAll(owner: DataOwner, signal: AbortSignal, over: AbortSignal): Promise<void> {
    const [visibility, filter] = whose(owner);
    for (let last: string | undefined; !signal.aborted;) {
      const { items } = await this.consents.list(visibility, filter, PIECE, last);
      await Promise.all(
        items.map(({ id }) => this.ender.end(id, EVERYTHING, 'disabled-principal', over)),
      );
      last = items.at(-1)?.id;
      if (last === undefined) return;
    }
  }
}

function whose(owner: DataOwner): [Visibility, ConsentFilter] {
  return 'organization' in owner ? [{ kind: 'organization', ...owner }, {}] : [EVERYTHING, owner];
}
