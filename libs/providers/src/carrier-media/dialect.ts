import type { MediaCapabilities, MediaFormat, MediaStart, WireMessage } from '@parley/ports';

/** What a message from a carrier says. */
export type Happening =
  | { readonly kind: 'started'; readonly start: MediaStart }
  | { readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly kind: 'digit'; readonly digit: string }
  | { readonly kind: 'marked'; readonly name: string }
  | { readonly kind: 'stopped'; readonly message: string }
  /** The carrier takes no more audio for now, and takes it again. */
  | { readonly kind: 'held' }
  | { readonly kind: 'released' }
  /** Everything that the carrier held was heard. */
  | { readonly kind: 'drained' }
  | { readonly kind: 'trouble'; readonly message: string }
  /** Not of this protocol. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Nothing can follow that would be understood. */
  | { readonly kind: 'lost-track'; readonly message: string };

/** What one message may hold, in bytes of one format. */
export interface ChunkLimits {
  readonly bytesMin: number;
  readonly bytesMultiple: number;
  readonly bytesMax: number;
}

/** One carrier's messages, both ways, for one call. It knows the words; what a call does with them is the line's. */
export interface Dialect {
  readonly capabilities: MediaCapabilities;
  /** Whether the carrier says so before it closes the connection in order. Where not, closing it is hanging up. */
  readonly saysStop: boolean;
  chunkOf(format: MediaFormat): ChunkLimits;
  /** Never throws. */
  read(message: WireMessage): readonly Happening[];
  /** What is taken to be the start where the carrier, a second after it connected, has not said anything that tells. */
  presumedStart?(): readonly Happening[];
  audio(bytes: Uint8Array): WireMessage;
  /** Only where the carrier has marks. */
  mark?(name: string): WireMessage;
  /** Only where the carrier can drop what it holds. */
  clear?(): readonly WireMessage[];
  digits?(digits: string): readonly WireMessage[];
  /** Asks for `drained`; without it a mark is what is waited for before the end. */
  drain?(): WireMessage;
  hangUp?(): WireMessage;
}

/** One sample's worth of silence. */
export function silenceOf({ encoding }: MediaFormat, bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(encoding === 'mulaw' ? 0xff : encoding === 'alaw' ? 0xd5 : 0);
}
