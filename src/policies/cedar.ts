import { createRequire } from 'node:module';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR_SCHEMA } from './domain/cedar-schema.js';

type CedarModule = typeof Cedar;

/** The name under which the engine keeps the schema. */
export const SCHEMA_NAME = 'hub';

let loaded: CedarModule | undefined;

/** The engine of Cedar, loaded when it is first needed: a hub without policies never does. */
export function cedar(): CedarModule {
  if (loaded === undefined) {
    const load = createRequire(import.meta.url);
    const engine = load('@cedar-policy/cedar-wasm/nodejs') as CedarModule;
    const parsed = engine.preparseSchema(SCHEMA_NAME, CEDAR_SCHEMA);
    if (parsed.type !== 'success') throw new Error('the schema of policies is wrong');
    loaded = engine;
  }
  return loaded;
}
