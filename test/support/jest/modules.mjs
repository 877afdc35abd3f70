// The modules of tests, as ES modules of `node:vm` in the worker's own realm. The hub's own (`src`) are kept for
// all test files of a worker, as Node keeps packages: they hold no state that one test could leave to another.
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SourceTextModule, SyntheticModule } from 'node:vm';

const SOURCES = fileURLToPath(new URL('../../../src/', import.meta.url));
/** Modules of `src`, of packages and of Node by path or name. */
const kept = new Map();
const evaluations = new WeakMap();
/** One graph is linked at a time: two that share modules cannot be at once. */
let linking = Promise.resolve();

/** A module with these exports, ready at once. */
export async function syntheticModule(exports, identifier) {
  const names = Object.keys(exports);
  const module = new SyntheticModule(
    names,
    function () {
      for (const name of names) this.setExport(name, exports[name]);
    },
    { identifier },
  );
  await module.link(() => undefined);
  await module.evaluate();
  return module;
}

/** The modules of one test file; `globals` gives it what `@jest/globals` exports. */
export class Modules {
  #own = new Map();
  #transform;
  #globals;

  /** `transform` gives the JavaScript of a TypeScript file. */
  constructor(transform, globals) {
    this.#transform = transform;
    this.#globals = globals;
  }

  /** Imports a file as the test file's own graph does. */
  async import(specifier, from) {
    const module = await this.#find(specifier, from);
    await this.#link(module);
    if (module.status !== 'evaluated') {
      if (!evaluations.has(module)) evaluations.set(module, module.evaluate());
      await evaluations.get(module);
    }
    return module;
  }

  async #find(specifier, from) {
    if (specifier === '@jest/globals') {
      return this.#once(this.#own, specifier, () =>
        syntheticModule(this.#globals(from), specifier),
      );
    }
    if (isBuiltin(specifier) || !/^([./]|file:)/.test(specifier)) return this.#native(specifier);
    const path = sourceOf(fileURLToPath(new URL(specifier, pathToFileURL(from))));
    if (!path.endsWith('.ts')) return this.#native(pathToFileURL(path).href);
    const isKept = path.startsWith(SOURCES) && !path.endsWith('.spec.ts');
    return this.#once(isKept ? kept : this.#own, path, () => this.#compile(path));
  }

  #once(modules, key, make) {
    const known = modules.get(key);
    if (known) return known;
    const made = make();
    modules.set(key, made);
    return made;
  }

  /** What Node itself loads. */
  #native(specifier) {
    return this.#once(kept, specifier, async () =>
      syntheticModule(await import(specifier), specifier),
    );
  }

  #compile(path) {
    const url = pathToFileURL(path).href;
    return new SourceTextModule(this.#transform(path), {
      identifier: path,
      importModuleDynamically: (specifier) => this.import(specifier, path),
      initializeImportMeta: (meta) => {
        meta.url = url;
        meta.filename = path;
        meta.dirname = dirname(path);
        meta.resolve = (specifier) =>
          /^[./]/.test(specifier) ? new URL(specifier, url).href : import.meta.resolve(specifier);
      },
    });
  }

  #link(root) {
    const linked = linking.then(async () => {
      if (root.status !== 'unlinked') return;
      try {
        await root.link((specifier, from) => this.#find(specifier, from.identifier));
      } catch (error) {
        forgetUnlinked();
        throw error;
      }
    });
    linking = linked.catch(() => undefined);
    return linked;
  }
}

/** A graph that could not be linked must not be in the way of the next test file. */
function forgetUnlinked() {
  for (const [key, module] of kept) {
    if (module instanceof SourceTextModule && module.status !== 'evaluated') kept.delete(key);
  }
}

/** TypeScript files import each other by the names that they are compiled to. */
function sourceOf(path) {
  if (!path.endsWith('.js') || path.includes(join(sep, 'node_modules', sep))) return path;
  const source = `${path.slice(0, -3)}.ts`;
  return existsSync(source) ? source : path;
}
