import { Injectable } from '@nestjs/common';
import { HubError } from '../../../common/hub-error.js';
import type { Page } from '../../../common/page.js';
import { Revision } from '../../../database/revision.js';
import { Database } from '../../../database/database.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import { storable } from '../../../database/text.js';
import { AuthProfileStore, MAX_PROFILES, type ProfileAudience } from '../auth-profile-store.js';
import type { AuthProfile } from '../auth-profile.js';
import { AuthProfileEntity, EVERY } from './auth-profile.entity.js';

const PROFILES = new Table(AuthProfileEntity);
const PROFILE = PROFILES.select();
const INSERT = PROFILES.insert();
const UPDATE = PROFILES.update();
const REVISION = new Revision('push_auth_revisions');

/** {@link AuthProfileStore} on the hub's database. */
@Injectable()
export class SqlAuthProfileStore extends AuthProfileStore {
  constructor(private readonly database: Database) {
    super();
  }

  revision(): Promise<number> {
    return REVISION.read(this.database);
  }

  all(): Promise<readonly AuthProfile[]> {
    return PROFILE.list(this.database, 'ORDER BY id');
  }

  async list(
    audience: ProfileAudience,
    limit: number,
    cursor?: string,
  ): Promise<Page<AuthProfile>> {
    const seen = visibleTo(audience);
    const after = cursor === undefined ? '' : ' AND id < ?';
    const rows = await PROFILE.list(
      this.database,
      `WHERE ${seen.sql}${after} ORDER BY id DESC LIMIT ?`,
      [...seen.params, ...(cursor === undefined ? [] : [cursor]), limit + 1],
    );
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  async get(id: string, audience: ProfileAudience): Promise<AuthProfile | undefined> {
    const seen = visibleTo(audience);
    const params = [storable(id), ...seen.params];
    return (await PROFILE.list(this.database, `WHERE id = ? AND ${seen.sql}`, params))[0];
  }

  add(profile: AuthProfile): Promise<void> {
    return this.database.write(function* (tx) {
      yield* REVISION.raise(tx);
      const [counts] = yield* tx.all<{ total: number; same: number | null }>(
        `SELECT COUNT(*) AS total, SUM(CASE WHEN organization = ? AND name = ? THEN 1 ELSE 0 END)
           AS same FROM push_auth_profiles`,
        [profile.organization ?? EVERY, profile.name],
      );
      if ((counts?.same ?? 0) > 0) {
        throw new HubError('CONFLICT', `There is an auth profile ${profile.name} already.`);
      }
      if ((counts?.total ?? 0) >= MAX_PROFILES) {
        throw new HubError('CONFLICT', `There are ${MAX_PROFILES} auth profiles already.`);
      }
      yield* INSERT.one(tx, profile);
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
      yield* UPDATE.apply(tx, [next]);
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
  return (yield* PROFILE.all(tx, 'WHERE id = ?', [storable(id)]))[0];
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
