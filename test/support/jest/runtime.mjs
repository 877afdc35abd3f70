// Jest's runtime with modules of its own, see `./modules.mjs`: Jest's gives each test file every module anew, which
// took longer than the tests did.
import { createRequire } from 'node:module';
import JestRuntime from 'jest-runtime';
import { Modules } from './modules.mjs';

const OPTIONS = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};
/** By file: modules outlive the test file that loaded them. */
const sourceMaps = new Map();

export default class Runtime extends JestRuntime {
  /** None where a test file asks for every module anew, with `@jest-environment node`. */
  #modules;

  constructor(config, environment, resolver, transformer, cacheFS, coverage, ...rest) {
    super(config, environment, resolver, transformer, cacheFS, coverage, ...rest);
    if (environment.global !== globalThis) return;
    const transform = (path) => {
      const { code, sourceMapPath } = transformer.transform(path, { ...OPTIONS, ...coverage });
      if (sourceMapPath) sourceMaps.set(path, sourceMapPath);
      return code;
    };
    this.#modules = new Modules(transform, (from) =>
      this.requireModuleOrMock(from, '@jest/globals'),
    );
  }

  unstable_importModule(from, name) {
    if (!this.#modules) return super.unstable_importModule(from, name);
    return this.#modules.import(name ?? from, from);
  }

  /** Setup files that are CommonJS, and core modules. */
  requireModule(from, name, ...rest) {
    if (!this.#modules) return super.requireModule(from, name, ...rest);
    return createRequire(from)(name ?? from);
  }

  /** Parts of Jest; the one that keeps the tests of a file begins anew with each. */
  requireInternalModule(from, name) {
    if (!this.#modules) return super.requireInternalModule(from, name);
    const require = createRequire(from);
    if (name === undefined) delete require.cache[require.resolve(from)];
    return require(name ?? from);
  }

  getSourceMaps() {
    return this.#modules ? sourceMaps : super.getSourceMaps();
  }
}
