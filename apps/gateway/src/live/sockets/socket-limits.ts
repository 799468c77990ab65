/** What one socket may cost at most, beside what an operator can set. */
export const socketLimits = {
  /** A larger frame closes the socket with 1009. Three seconds of the richest sound; every text frame is far smaller. */
  frameBytesMax: 256 * 1024,
  /** Frames that the protocol does not know: one more than so many at once, or than one each few seconds, closes with 1008. */
  violationsMax: 20,
  violationForgottenMs: 3_000,
  /** How far sound may come ahead of real time, and how much faster it may go on; then the socket is not read for a while. */
  soundAheadMsMax: 3_000,
  soundSpeedMax: 1.25,
  /** The same for text frames. */
  textFramesAtOnce: 200,
  textFramesPerSecond: 100,
  /** What is handed to the operating system at a time; the rest waits here, where it can still be dropped. */
  handedBytesMax: 32 * 1024,
  /** A reader is warned so far behind, and given up so far behind. */
  behindWarnedMs: 2_000,
  behindMsMax: 10_000,
  /** The least that counts as behind: at a telephone's rate two seconds are only a few frames. */
  behindBytesMin: 128 * 1024,
  /** What a client has to answer a close with. */
  closeMs: 2_000,
  /** What the speech service has to end a session politely. */
  endMs: 5_000,
  farewellMs: 20_000,
  /** Typed questions that wait for the answer before. */
  questionsMax: 4,
} as const;

/** The rate of sound before a client says another: 16-bit samples at 16 kHz. */
export const usualBytesPerSecond = 32_000;
