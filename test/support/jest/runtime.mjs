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
  #modules;

  constructor(config, environment, resolver, transformer, cacheFS, coverage, ...rest) {
    super(config, environment, resolver, transformer, cacheFS, coverage, ...rest);
    const transform = (path) => {
      const { code, sourceMapPath } = transformer.transform(path, { ...OPTIONS, ...coverage });
      if (sourceMapPath) sourceMaps.set(path, sourceMapPath);
      return code;
    };
    this.#modules = new Modules(transform, (from) =>
      this.requireModuleOrMock(from, '@jest/globals'),
    );
  }

  unstable_importModule(from, name = from) {
    return this.#modules.import(name, from);
  }

  /** Setup files that are CommonJS, and core modules. */
  requireModule(from, name = from) {
    return createRequire(from)(name);
  }

  /** Parts of Jest; the one that keeps the tests of a file begins anew with each. */
  requireInternalModule(from, name = from) {
    const require = createRequire(from);
    if (name === from) delete require.cache[require.resolve(from)];
    return require(name);
  }

  getSourceMaps() {
    return sourceMaps;
  }
}
