// The part of WebAssembly used here; TypeScript otherwise declares it only with the whole DOM.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, (...parameters: never[]) => unknown>>);
    readonly exports: Record<string, unknown>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
