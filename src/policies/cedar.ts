import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR_SCHEMA } from './domain/cedar-schema.js';

type CedarModule = typeof Cedar;

/** The name under which the engine keeps the schema. */
export const SCHEMA_NAME = 'hub';

let loaded: CedarModule | undefined;

/** The engine of Cedar, loaded when it is first needed: a hub without policies never does. */
export function cedar(): CedarModule {
  if (loaded === undefined) {
    // V8 of Node 20 ends the process ("unreachable code") when a function into which it has inlined calls of WebAssembly
    // is no longer optimized, which thousands of decisions bring about.
    setFlagsFromString('--no-turbo-inline-js-wasm-calls');
    const load = createRequire(import.meta.url);
    const engine = load('@cedar-policy/cedar-wasm/nodejs') as CedarModule;
    const parsed = engine.preparseSchema(SCHEMA_NAME, CEDAR_SCHEMA);
    if (parsed.type !== 'success') throw new Error('the schema of policies is wrong');
    loaded = engine;
  }
  return loaded;
}
