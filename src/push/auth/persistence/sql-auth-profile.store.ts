import { Injectable } from '@nestjs/common';
import { HubError } from '../../../common/hub-error.js';
import type { Page } from '../../../common/page.js';
import { Revision } from '../../../database/revision.js';
import { toDate } from '../../../database/rows.js';
import { Database } from '../../../database/database.js';
import { rowsOf } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import { AuthProfileStore, MAX_PROFILES, type ProfileAudience } from '../auth-profile-store.js';
import type { AuthProfile } from '../auth-profile.js';
import type { ProfileParameters } from '../profile-parameters.dto.js';
import type { ProfileSchemeName } from '../schemes/schemes.js';

interface Row {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly scheme: string;
  readonly urls: string;
  readonly automatic: number;
  readonly parameters: string;
  readonly sealed_secret: string | null;
  readonly fingerprint: string | null;
  readonly secret_since: number | null;
  readonly sealed_previous: string | null;
  readonly previous_fingerprint: string | null;
  readonly previous_until: number | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS = [
  'id',
  'organization',
  'name',
  'scheme',
  'urls',
  'automatic',
  'parameters',
  'sealed_secret',
  'fingerprint',
  'secret_since',
  'sealed_previous',
  'previous_fingerprint',
  'previous_until',
  'version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Row)[];
const REVISION = new Revision('push_auth_revisions');
/** The value that means every organization; none has this name. */
const EVERY = '';

/** {@link AuthProfileStore} on the hub's database. */
@Injectable()
export class SqlAuthProfileStore extends AuthProfileStore {
  constructor(private readonly database: Database) {
    super();
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }

  async all(): Promise<readonly AuthProfile[]> {
    const rows = await this.database.read<Row>('SELECT * FROM push_auth_profiles ORDER BY id');
    return rows.map(toProfile);
  }

  async list(
    audience: ProfileAudience,
    limit: number,
    cursor?: string,
  ): Promise<Page<AuthProfile>> {
    const seen = visibleTo(audience);
    const after = cursor === undefined ? '' : ' AND id < ?';
    const rows = await this.database.read<Row>(
      `SELECT * FROM push_auth_profiles WHERE ${seen.sql}${after} ORDER BY id DESC LIMIT ?`,
      [...seen.params, ...(cursor === undefined ? [] : [cursor]), limit + 1],
    );
    const items = rows.slice(0, limit).map(toProfile);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async get(id: string, audience: ProfileAudience): Promise<AuthProfile | undefined> {
    const seen = visibleTo(audience);
    const rows = await this.database.read<Row>(
      `SELECT * FROM push_auth_profiles WHERE id = ? AND ${seen.sql}`,
      [storable(id), ...seen.params],
    );
    return rows.map(toProfile)[0];
  }

  add(profile: AuthProfile): Promise<void> {
    return this.database.write(function* (tx) {
      yield* REVISION.raise(tx);
      const row = toRow(profile);
      const [counts] = yield* tx.all<{ total: number; same: number | null }>(
        `SELECT COUNT(*) AS total, SUM(CASE WHEN organization = ? AND name = ? THEN 1 ELSE 0 END)
           AS same FROM push_auth_profiles`,
        [row.organization, row.name],
      );
      if ((counts?.same ?? 0) > 0) {
        throw new HubError('CONFLICT', `There is an auth profile ${profile.name} already.`);
      }
      if ((counts?.total ?? 0) >= MAX_PROFILES) {
        throw new HubError('CONFLICT', `There are ${MAX_PROFILES} auth profiles already.`);
      }
      yield* tx.run(
        `INSERT INTO push_auth_profiles (${COLUMNS.join(', ')}) VALUES ${rowsOf(1, COLUMNS.length)}`,
        valuesOf(row),
      );
    });
  }

  update(
    id: string,
    change: (present: AuthProfile) => AuthProfile,
  ): Promise<AuthProfile | undefined> {
    return this.database.write(function* (tx) {
      const present = yield* locked(tx, id);
      if (present === undefined) return undefined;
      const next = { ...change(present), id, version: present.version + 1 };
      yield* REVISION.raise(tx);
      const set = COLUMNS.slice(1).map((column) => `${column} = ?`);
      yield* tx.run(`UPDATE push_auth_profiles SET ${set.join(', ')} WHERE id = ?`, [
        ...valuesOf(toRow(next)).slice(1),
        id,
      ]);
      return next;
    });
  }

  remove(
    id: string,
    force: boolean,
  ): Promise<{ readonly removed: boolean; readonly uses: number } | undefined> {
    return this.database.write(function* (tx) {
      const present = yield* locked(tx, id);
      if (present === undefined) return undefined;
      const uses = yield* usesOf(tx, present);
      if (uses > 0 && !force) return { removed: false, uses };
      yield* REVISION.raise(tx);
      yield* tx.run('DELETE FROM push_auth_profiles WHERE id = ?', [id]);
      return { removed: true, uses };
    });
  }
}

function* locked(tx: Tx, id: string): Work<AuthProfile | undefined> {
  // The same order as in `add`: the revision before the profile.
  yield* REVISION.lock(tx);
  const rows = yield* tx.all<Row>('SELECT * FROM push_auth_profiles WHERE id = ?', [storable(id)]);
  return rows.map(toProfile)[0];
}

/** The webhooks that would use it: where an organization has one of that name itself, its own counts. */
function* usesOf(tx: Tx, { organization, name }: AuthProfile): Work<number> {
  const own =
    organization === null
      ? `organization NOT IN
           (SELECT p.organization FROM push_auth_profiles p WHERE p.name = ?)`
      : 'organization = ?';
  const [row] = yield* tx.all<{ total: number }>(
    `SELECT COUNT(*) AS total FROM push_webhooks WHERE auth_profile = ? AND ${own}`,
    [name, organization ?? name],
  );
  return row?.total ?? 0;
}

function visibleTo(audience: ProfileAudience): { sql: string; params: SqlValue[] } {
  if (audience === 'everybody') return { sql: '1 = 1', params: [] };
  return { sql: 'organization IN (?, ?)', params: [EVERY, audience.organization] };
}

function valuesOf(row: Row): SqlValue[] {
  return COLUMNS.map((column) => row[column]);
}

function toRow(profile: AuthProfile): Row {
  return {
    id: profile.id,
    organization: profile.organization ?? EVERY,
    name: profile.name,
    scheme: profile.scheme,
    urls: JSON.stringify(profile.urls),
    automatic: profile.automatic ? 1 : 0,
    parameters: JSON.stringify(profile.parameters),
    sealed_secret: profile.sealedSecret,
    fingerprint: profile.fingerprint,
    secret_since: profile.secretSince?.getTime() ?? null,
    sealed_previous: profile.sealedPrevious,
    previous_fingerprint: profile.previousFingerprint,
    previous_until: profile.previousUntil?.getTime() ?? null,
    version: profile.version,
    created_at: profile.createdAt.getTime(),
    updated_at: profile.updatedAt.getTime(),
  };
}

function toProfile(row: Row): AuthProfile {
  return {
    id: row.id,
    organization: row.organization === EVERY ? null : row.organization,
    name: row.name,
    scheme: row.scheme as ProfileSchemeName,
    urls: JSON.parse(row.urls) as string[],
    automatic: row.automatic === 1,
    parameters: JSON.parse(row.parameters) as ProfileParameters,
    sealedSecret: row.sealed_secret,
    fingerprint: row.fingerprint,
    secretSince: toDate(row.secret_since),
    sealedPrevious: row.sealed_previous,
    previousFingerprint: row.previous_fingerprint,
    previousUntil: toDate(row.previous_until),
    version: row.version,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}
