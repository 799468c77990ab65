/** What the carrier reports when it begins to stream. */
export interface MediaStart {
  readonly format: MediaFormat;
  /** The carrier's name of the call; absent where the media does not tell it. */
  readonly callId: string | undefined;
  readonly streamId: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** What the answer document sent along, or the UUID of an AudioSocket as `uuid`. From outside: not to be trusted. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Why the media of a call is over. */
export type MediaEndReason =
  /** The other side hung up, or the carrier stopped the stream. */
  | 'caller-hung-up'
  /** `hangUp` was called. */
  | 'hung-up'
  /** The connection broke, or never started. */
  | 'lost'
  /** The other end does not speak the carrier's protocol. */
  | 'protocol';

/** What comes from a call: `started` first, `ended` exactly once and last; a call that never starts only ends. */
export type MediaEvent =
  | { readonly kind: 'started'; readonly start: MediaStart }
  /**
   * In the format of `started`. The bytes are never written again and may be a view on the message they came in. A filler is silence
   * that was made here while nothing came: it keeps the time, and is neither sound of the carrier nor charged.
   */
  | { readonly kind: 'audio'; readonly bytes: Uint8Array; readonly isFiller?: boolean }
  /** A key. `isInSound`: it was heard as a tone, so whoever gets the sound hears it as well. */
  | { readonly kind: 'digit'; readonly digit: string; readonly isInSound?: boolean }
  /** Everything handed over before the mark was heard, or was dropped by `clear`. */
  | { readonly kind: 'mark'; readonly name: string; readonly wasCleared: boolean }
  /** The other side put the call on hold and may send nothing until it resumes; the call has not ended. */
  | { readonly kind: 'held'; readonly isHeld: boolean }
  /** Something was refused or lost and the call continues; for the log. At most a hundred per call. */
  | { readonly kind: 'warning'; readonly message: string }
  | {
      readonly kind: 'ended';
      readonly reason: MediaEndReason;
      readonly message: string;
      /** For the record: how the call itself broke off, if that was reported before its media was lost. */
      readonly brokenOff?: string;
    };

/** How the sound of a line came in, counted in frames of 20 ms. */
export interface Reception {
  readonly frames: number;
  /** Too late to be heard. */
  readonly lateFrames: number;
  readonly lostFrames: number;
  readonly jitterMs: number;
}

/** The audio of one call. Nothing here waits or throws, and after the end nothing here does anything. */
export interface CallMedia {
  readonly capabilities: MediaCapabilities;
  /** The format of the line; undefined before `started`. */
  readonly format: MediaFormat | undefined;
  readonly isEnded: boolean;
  /** Only of media that sees single packets. */
  readonly reception?: Reception;
  /** Audio to be heard after all that was handed over before, in the format of the line; of any length. Ours from then on. */
  send(bytes: Uint8Array): void;
  /** Asks for a `mark` event once everything handed over so far was heard. */
  mark(name: string): void;
  /** Drops what was sent and not yet heard. */
  clear(): void;
  /** Sends keys: 0-9, *, #, A-D, and w for a pause of half a second. False: not supported on this line. */
  sendDigits(digits: string): boolean;
  /** Ends the media once everything handed over was heard, two seconds late at most, and the call where `hangUpEndsCall`. */
  hangUp(): void;
  /** Closes the media immediately. */
  close(reason: MediaEndReason, message: string): void;
}

/** A message of a connection: text, or binary. A TCP connection has only binary ones, cut anywhere. */
export type WireMessage = string | Uint8Array;

/** Our end of a connection to a carrier: a WebSocket, TCP, or two arrays in a test. */
interface MediaWire {
  send(message: WireMessage): void;
  /** Closing twice is harmless. */
  close(): void;
  /** Bytes that the other end has not taken yet. */
  readonly bufferedBytes: number;
}

/** Time as a media adapter sees it; that of the voice session fits. */
export interface MediaClock {
  /** Milliseconds that never jump back. */
  now(): number;
  /** Calls once at or after the time; the returned function takes it back. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

export interface MediaOptions {
  readonly wire: MediaWire;
  readonly clock: MediaClock;
  /** Takes every event of the call, in order. Must not throw. */
  readonly hear: (event: MediaEvent) => void;
}

/** The media of a call over a connection, fed by the connection's owner. */
export interface WiredMedia extends CallMedia {
  /** A message from the carrier. Never throws, whatever it contains. */
  receive(message: WireMessage): void;
  /** The connection ended: closed in order by the other end, or broken. */
  disconnected(how: { readonly isClean: boolean; readonly message: string }): void;
}

/** A carrier's media protocol: pure, so that it can be tried without sockets. */
export interface MediaProtocol {
  readonly capabilities: MediaCapabilities;
  /** The subprotocols of its WebSocket, if it asks for one. */
  readonly subprotocols: readonly string[];
  open(options: MediaOptions): WiredMedia;
}

/** How samples are written on a carrier's line: PCM is 16-bit little-endian mono, the others are G.711. */
type MediaEncoding = 'pcm16' | 'mulaw' | 'alaw';

export interface MediaFormat {
  readonly encoding: MediaEncoding;
  readonly sampleRate: number;
}

/** Bytes of this many milliseconds of audio. */
export function bytesOfMs({ encoding, sampleRate }: MediaFormat, ms: number): number {
  const samples = Math.round((sampleRate * ms) / 1000);
  return encoding === 'pcm16' ? samples * 2 : samples;
}

/** Milliseconds that this many bytes of audio last. */
export function msOfBytes({ encoding, sampleRate }: MediaFormat, bytes: number): number {
  return (bytes * 1000) / (encoding === 'pcm16' ? sampleRate * 2 : sampleRate);
}

/** What a carrier's media can do. The service that bridges a call plans by this, never by the carrier's name. */
export interface MediaCapabilities {
  /** What the line may carry, the best first. The `started` event says which it is; both directions use the same. */
  readonly formats: readonly MediaFormat[];
  /** How much audio a message from the carrier usually holds. */
  readonly frameMs: number;
  /** The size in bytes that the carrier accepts per message. The adapter splits and gathers. */
  readonly chunk: { readonly bytesMin: number; readonly bytesMultiple: number; readonly bytesMax: number };
  /**
   * What reports playback: the carrier, the adapter's own clock (which knows no more than the caller of this port), or nothing.
   */
  readonly marks: 'carrier' | 'clock';
  /** What drops audio that was sent and not heard: the carrier, or the adapter, which then holds back all but `aheadMsMax`. */
  readonly clears: 'carrier' | 'adapter';
  /** How far ahead of the listener audio leaves the adapter at most. Infinite where the carrier queues all it is given. */
  readonly aheadMsMax: number;
  /** How far ahead audio should be handed over, lest large chunks run dry at the listener's end. */
  readonly leadMs: number;
  readonly digitsIn: boolean;
  /** How keys are pressed on the line: by a message, by their tones in the audio, or only by call control. */
  readonly digitsOut: 'message' | 'tone' | 'control';
  /** Whether hanging up the media ends the call too. Where not, call control must end it. */
  readonly hangUpEndsCall: boolean;
}
