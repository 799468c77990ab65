/** What the carrier reports when it starts streaming. */
export interface MediaStart {
  readonly format: MediaFormat;
  /** The carrier's id of the call; absent if the media does not contain it. */
  readonly callId: string | undefined;
  readonly streamId: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /**
   * Parameters from the answer document, or the UUID of an AudioSocket as `uuid`. They come from outside and must not be trusted.
   */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Why the media of a call ended. */
export type MediaEndReason =
  /** The other side hung up, or the carrier stopped the stream. */
  | 'caller-hung-up'
  /** `hangUp` was called. */
  | 'hung-up'
  /** The connection broke, or was never established. */
  | 'lost'
  /** The other end does not follow the carrier's protocol. */
  | 'protocol';

/** The events of a call: `started` first, `ended` exactly once and last; a call that never starts only ends. */
export type MediaEvent =
  | { readonly kind: 'started'; readonly start: MediaStart }
  /**
   * In the format of `started`. The bytes are never overwritten and may be a view of the message they arrived in. A filler is
   * silence generated here while nothing arrived: it keeps the timing, and is neither sound from the carrier nor charged.
   */
  | { readonly kind: 'audio'; readonly bytes: Uint8Array; readonly isFiller?: boolean }
  /** A key. `isInSound`: it was detected as a tone, so whoever receives the sound hears it as well. */
  | { readonly kind: 'digit'; readonly digit: string; readonly isInSound?: boolean }
  /** Everything handed over before the mark has been heard, or was dropped by `clear`. */
  | { readonly kind: 'mark'; readonly name: string; readonly wasCleared: boolean }
  /** The other side put the call on hold and may send nothing until it resumes; the call has not ended. */
  | { readonly kind: 'held'; readonly isHeld: boolean }
  /** Something was refused or lost but the call continues; for the log. At most a hundred per call. */
  | { readonly kind: 'warning'; readonly message: string }
  | {
      readonly kind: 'ended';
      readonly reason: MediaEndReason;
      readonly message: string;
      /** For the record: how the call itself broke off, if that was reported before its media was lost. */
      readonly brokenOff?: string;
    };

/** How well a line's sound was received, counted in frames of 20 ms. */
export interface Reception {
  readonly frames: number;
  /** Frames that arrived too late to be heard. */
  readonly lateFrames: number;
  readonly lostFrames: number;
  readonly jitterMs: number;
}

/** The audio of one call. No method blocks or throws, and after the end none has any effect. */
export interface CallMedia {
  readonly capabilities: MediaCapabilities;
  /** The format of the line; undefined before `started`. */
  readonly format: MediaFormat | undefined;
  readonly isEnded: boolean;
  /** Only for media with individual packets. */
  readonly reception?: Reception;
  /**
   * Queues audio of any length, in the format of the line, to be heard after everything handed over before. The bytes must not be
   * changed afterwards.
   */
  send(bytes: Uint8Array): void;
  /** Requests a `mark` event once everything handed over so far has been heard. */
  mark(name: string): void;
  /** Drops what was sent but not heard yet. */
  clear(): void;
  /** Sends keys: 0-9, *, #, A-D, and w for a pause of half a second. Returns false if this line does not support it. */
  sendDigits(digits: string): boolean;
  /**
   * Ends the media once everything handed over has been heard, after two more seconds at most, and the call too if
   * `hangUpEndsCall`.
   */
  hangUp(): void;
  /** Closes the media at once. */
  close(reason: MediaEndReason, message: string): void;
}

/** A message of a connection: text or binary. A TCP connection has only binary ones, split anywhere. */
export type WireMessage = string | Uint8Array;

/** Our end of a connection to a carrier: a WebSocket, TCP, or two arrays in a test. */
interface MediaWire {
  send(message: WireMessage): void;
  /** Closing twice does no harm. */
  close(): void;
  /** Bytes that the other end has not accepted yet. */
  readonly bufferedBytes: number;
}

/** The clock of a media adapter; the voice session's clock matches it. */
export interface MediaClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls back once at or after the given time; the returned function cancels it. */
  wakeAt(atMs: number, wake: () => void): () => void;
}

export interface MediaOptions {
  readonly wire: MediaWire;
  readonly clock: MediaClock;
  /** Receives every event of the call, in order. Must not throw. */
  readonly hear: (event: MediaEvent) => void;
}

/** The media of a call over a connection, driven by the connection's owner. */
export interface WiredMedia extends CallMedia {
  /** Handles a message from the carrier. Never throws, whatever the message contains. */
  receive(message: WireMessage): void;
  /** The connection ended: cleanly by the other end, or broken. */
  disconnected(how: { readonly isClean: boolean; readonly message: string }): void;
}

/** A carrier's media protocol, free of I/O, so that it can be tested without sockets. */
export interface MediaProtocol {
  readonly capabilities: MediaCapabilities;
  /** The subprotocols of its WebSocket, if it requests any. */
  readonly subprotocols: readonly string[];
  open(options: MediaOptions): WiredMedia;
}

/** The encoding of samples on a carrier's line: PCM is 16-bit little-endian mono, the others are G.711. */
type MediaEncoding = 'pcm16' | 'mulaw' | 'alaw';

export interface MediaFormat {
  readonly encoding: MediaEncoding;
  readonly sampleRate: number;
}

/** The size in bytes of this many milliseconds of audio. */
export function bytesOfMs({ encoding, sampleRate }: MediaFormat, ms: number): number {
  const samples = Math.round((sampleRate * ms) / 1000);
  return encoding === 'pcm16' ? samples * 2 : samples;
}

/** The length in milliseconds of this many bytes of audio. */
export function msOfBytes({ encoding, sampleRate }: MediaFormat, bytes: number): number {
  return (bytes * 1000) / (encoding === 'pcm16' ? sampleRate * 2 : sampleRate);
}

/** The capabilities of a carrier's media. The service that bridges a call relies on these, never on the carrier's name. */
export interface MediaCapabilities {
  /** The formats that the line may use, best first. The `started` event says which one it is, for both directions. */
  readonly formats: readonly MediaFormat[];
  /** How much audio a message from the carrier usually contains. */
  readonly frameMs: number;
  /** The size in bytes that the carrier accepts per message. The adapter splits and joins accordingly. */
  readonly chunk: { readonly bytesMin: number; readonly bytesMultiple: number; readonly bytesMax: number };
  /** What reports playback: the carrier, or the adapter's own clock, which knows no more than the caller of this port. */
  readonly marks: 'carrier' | 'clock';
  /**
   * What drops audio that was sent but not heard: the carrier, or the adapter, which therefore holds back all but `aheadMsMax`.
   */
  readonly clears: 'carrier' | 'adapter';
  /** How far ahead of the listener the adapter sends audio at most. Infinite if the carrier queues everything it is given. */
  readonly aheadMsMax: number;
  /** How far ahead audio should be handed over, so that large chunks do not cause gaps for the listener. */
  readonly leadMs: number;
  readonly digitsIn: boolean;
  /** How keys are sent on the line: by a message, by their tones in the audio, or only by call control. */
  readonly digitsOut: 'message' | 'tone' | 'control';
  /** Whether hanging up the media also ends the call. If not, call control must end it. */
  readonly hangUpEndsCall: boolean;
}
