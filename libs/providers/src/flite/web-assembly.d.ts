// The part of WebAssembly that is used here; TypeScript knows it only together with the browser's whole DOM.
declare namespace WebAssembly {
  class Module {
    private readonly brand;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (...parameters: never[]) => number>>);
    readonly exports: Record<string, unknown>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
