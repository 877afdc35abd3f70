import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from './entities.js';
import { SECRET_SETTINGS } from './hub-settings.js';

/** `text`: the column is one sealed value. `map`: it is a JSON object, each member a sealed value. */
export type SealedForm = 'text' | 'map';

/** A table that keeps secrets, all of them sealed by `SecretBox`. */
export interface SealedTable {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  readonly columns: readonly { readonly name: string; readonly form: SealedForm }[];
  /** Where only some rows are secret: those with one of these keys. */
  readonly only?: readonly string[];
}

/** What a column of an entity is called when it is sealed; nothing else is needed to have it sealed anew. */
const PREFIX = 'sealed_';

/** Those that go by another name. */
const OTHERS: readonly SealedTable[] = [
  {
    table: 'hub_settings',
    key: ['key'],
    columns: [{ name: 'value', form: 'text' }],
    only: SECRET_SETTINGS,
  },
  { table: 'signing_keys', key: ['generation'], columns: [{ name: 'private_key', form: 'text' }] },
  {
    table: 'agents',
    key: ['id'],
    columns: [
      { name: 'credentials', form: 'map' },
      { name: 'card_headers', form: 'map' },
    ],
  },
];

/**
 * Every place of the database that holds secrets: what is sealed anew when the keys change, and what is
 * counted. A new table is in it as soon as its entity has columns named `sealed_…`.
 */
export function sealedTables(): readonly SealedTable[] {
  return [...OTHERS, ...ENTITIES.flatMap(named)];
}

function named(entity: (typeof ENTITIES)[number]): SealedTable[] {
  const { tables, columns } = getMetadataArgsStorage();
  const table = tables.find(({ target }) => target === entity)?.name;
  const own = columns
    .filter(({ target }) => target === entity)
    .map(({ options, propertyName }) => ({ name: options.name ?? propertyName, options }));
  const sealed = own.filter(({ name }) => name.startsWith(PREFIX));
  if (table === undefined || sealed.length === 0) return [];
  const key = own.filter(({ options }) => options.primary).map(({ name }) => name);
  return [{ table, key, columns: sealed.map(({ name }) => ({ name, form: 'text' })) }];
}
