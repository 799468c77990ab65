/** Bytes, or what lays them out at the end of this turn of the event loop: more may come along until then. */
export type Cargo = Uint8Array | (() => Uint8Array);

/** The bytes, now that they leave. */
export function laidOut(cargo: Cargo): Uint8Array {
  return typeof cargo === 'function' ? cargo() : cargo;
}
