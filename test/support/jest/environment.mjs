// Jest's environment for `./runtime.mjs`: tests run in the worker's own realm rather than in a context of
// `node:vm` each, so that packages and the hub's modules are loaded once a worker and `instanceof` means what it
// says. What a test file did to the process is undone after it.
import { ModernFakeTimers } from '@jest/fake-timers';
// It gives its realms what this one has globally when it is loaded: before packages keep things of theirs there.
import 'jest-environment-node';
import { createRequire } from 'node:module';
import { ModuleMocker } from 'jest-mock';

/** What `require` gives of it, which can be replaced, unlike what `import` gives. */
const asyncHooks = createRequire(import.meta.url)('node:async_hooks');

/** Where jest-circus keeps what it knows of a test file. */
const CIRCUS = new Set(['EVENT_HANDLERS', 'JEST_STATE_SYMBOL']);

/** Node's `fetch` and the package undici would share a dispatcher, whose versions do not fit each other. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
// Touching one of its classes loads what Node has of undici, and with it the dispatcher.
const nodesDispatcher = globalThis.Headers && globalThis[DISPATCHER];
if (nodesDispatcher) {
  const nodesFetch = globalThis.fetch;
  globalThis[DISPATCHER] = undefined;
  globalThis.fetch = (input, init) => nodesFetch(input, { dispatcher: nodesDispatcher, ...init });
}

export default class Environment {
  global = globalThis;
  /** Fake timers of the older kind, which nothing here uses. */
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);
  #undo = [];

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    for (const name of ['console', 'fetch']) this.#keep(globalThis, name);
    for (const name of ['exit', 'exitCode', 'getBuiltinModule']) this.#keep(process, name);
    this.#keepVariables();
    this.#keepListeners();
    this.#endContexts();
  }

  /** As Node has it: Jest asks for 100 frames, which costs where many connections fail. */
  async setup() {
    Error.stackTraceLimit = 10;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    for (const undo of this.#undo.splice(0)) undo();
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (CIRCUS.has(symbol.description)) delete globalThis[symbol];
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest asks for a context; there is but the realm itself, which `./runtime.mjs` knows. */
  getVmContext() {
    return globalThis;
  }

  #keep(target, name) {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    this.#undo.push(() => {
      if (descriptor) Object.defineProperty(target, name, descriptor);
      else delete target[name];
    });
  }

  #keepVariables() {
    const variables = { ...process.env };
    this.#undo.push(() => {
      for (const name of Object.keys(process.env))
        if (!(name in variables)) delete process.env[name];
      Object.assign(process.env, variables);
    });
  }

  /**
   * Jest has a context of its own in each test file. On Node 20 every promise visits all that were ever entered; on Node 24,
   * where it cannot be replaced, none does.
   */
  #endContexts() {
    const { value: AsyncLocalStorage, writable } = Object.getOwnPropertyDescriptor(
      asyncHooks,
      'AsyncLocalStorage',
    );
    if (!writable) return;
    const entered = [];
    asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        entered.push(this);
      }
    };
    this.#undo.push(() => {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
      for (const context of entered) context.disable();
    });
  }

  #keepListeners() {
    const before = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
    this.#undo.push(() => {
      for (const name of process.eventNames()) {
        for (const listener of process.rawListeners(name)) {
          if (!before.get(name)?.includes(listener)) process.removeListener(name, listener);
        }
      }
    });
  }
}
