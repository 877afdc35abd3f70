import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR_SCHEMA } from './domain/cedar-schema.js';

type CedarModule = typeof Cedar;

/** The JavaScript of the engine, which speaks to one instance of its WebAssembly at a time. */
interface Glue extends CedarModule {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

/** The name under which the engine keeps the schema. */
export const SCHEMA_NAME = 'hub';

/** The engine could not do what it was told; it can do the next thing. */
export class CedarFailure extends Error {}

/** The engine, compiled, with the instance that is in use. */
class Engine {
  private memory: WebAssembly.Memory | undefined;
  /** Which policies the instance has under each name. */
  readonly policySets = new Map<string, object>();
  /** Whether the instance answers rightly. */
  isSound = false;

  constructor(
    readonly glue: Glue,
    private readonly compiled: WebAssembly.Module,
  ) {
    this.renew();
  }

  /** Puts a new instance, which knows nothing but the schema, in the place of the one in use. Throws {@link CedarFailure}. */
  renew(): void {
    try {
      this.start();
    } catch (error) {
      throw new CedarFailure(`the engine of Cedar cannot be started: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.isSound = true;
  }

  private start(): void {
    const { exports } = new WebAssembly.Instance(this.compiled, {
      './cedar_wasm_bg.js': this.glue,
    });
    // Growing detaches the buffer of the old memory: without it the glue would go on reading that.
    this.memory?.grow(0);
    this.memory = exports['memory'] as WebAssembly.Memory;
    this.glue.__wbg_set_wasm(exports);
    (exports['__wbindgen_start'] as () => void)();
    this.policySets.clear();
    const parsed = this.glue.preparseSchema(SCHEMA_NAME, CEDAR_SCHEMA);
    if (parsed.type !== 'success') throw new Error('the schema of policies is wrong');
  }
}

let engine: Engine | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the engine of Cedar, compiled beside other work, when it is first needed: a hub without policies never does. To be
 * awaited before {@link withCedar}.
 */
export function loadCedar(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<void> {
  // V8 of Node 20 ends the process ("unreachable code") when a function into which it has inlined calls of WebAssembly
  // is no longer optimized, which thousands of decisions bring about.
  setFlagsFromString('--no-turbo-inline-js-wasm-calls');
  // Else each function is compiled when it is first called, all while others wait.
  setFlagsFromString('--no-wasm-lazy-compilation');
  const { resolve } = createRequire(import.meta.url);
  const folder = join(dirname(resolve('@cedar-policy/cedar-wasm/nodejs')), '..', 'esm');
  const bytes = await readFile(join(folder, 'cedar_wasm_bg.wasm'));
  const compiled = await WebAssembly.compile(bytes);
  const glue = (await import(pathToFileURL(join(folder, 'cedar_wasm_bg.js')).href)) as Glue;
  engine = new Engine(glue, compiled);
}

/**
 * Has the engine do something. Throws {@link CedarFailure} when it fails: an instance that has run out of stack answers
 * nothing rightly any more, so another one takes its place before the engine is used again.
 */
export function withCedar<T>(work: (cedar: CedarModule) => T): T {
  const used = soundEngine();
  try {
    return work(used.glue);
  } catch (error) {
    const { name } = error as Error;
    used.isSound = name !== 'RuntimeError' && name !== 'RangeError';
    throw new CedarFailure(`the engine of Cedar failed: ${messageOf(error)}`, { cause: error });
  }
}

/** Which policies the engine has under each name; empty after it has failed. Throws {@link CedarFailure}. */
export function policySetsInCedar(): Map<string, object> {
  return soundEngine().policySets;
}

function soundEngine(): Engine {
  if (engine === undefined) throw new Error('the engine of Cedar is used before it is loaded');
  if (!engine.isSound) engine.renew();
  return engine;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
