/** What Node has of WebAssembly, as far as the engine of policies needs it: the types of Node 20 leave it out. */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>;
  type Imports = Record<string, object>;
  class Module {
    private readonly compiled;
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Memory {
    /** Grows by pages of 64 KiB, and detaches the buffer it had; returns how many pages there were. */
    grow(pages: number): number;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
