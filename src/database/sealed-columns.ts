import { getMetadataArgsStorage } from 'typeorm';

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

/** What a column of an entity is called when it is sealed; nothing else is needed to have it re-encrypted. */
const PREFIX = 'sealed_';

/** The tables that have columns named `sealed_…`. */
export function sealedTablesOf(entities: readonly (new () => object)[]): readonly SealedTable[] {
  return entities.flatMap(sealedTableOf);
}

function sealedTableOf(entity: new () => object): SealedTable[] {
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
