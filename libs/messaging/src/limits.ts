/**
 * Every limit of messaging. NATS refuses messages above 1 MiB, headers included; the others limit what one peer may cost another.
 */
export const limits = {
  bodyBytesMax: 900 * 1024,
  /** Bytes of frames to one address that are batched into a message; a larger frame is sent alone. */
  batchBytesMax: 16 * 1024,
  /** How far a producer may get ahead of its reader. */
  windowItems: 64,
  windowBytes: 256 * 1024,
  /** Undelivered frames at one end of a channel; the oldest are dropped first. Five seconds of 20 ms audio. */
  queuedFramesMax: 250,
  queuedFrameBytesMax: 1024 * 1024,
  /** Undelivered signals at one end of a channel; one more closes it. */
  queuedSignalsMax: 1000,
  /** How often each side of a stream or channel shows that it is alive… */
  beatMs: 400,
  /** …and how many silent beats end it: under two seconds. */
  silentBeatsMax: 4,
  /** A channel that has been open for ten seconds and never missed two beats is given up sooner: within 1.6 seconds. */
  steadySilentBeatsMax: 3,
  steadyBeatsMin: 25,
  /**
   * A read-only request is given up after this many silent beats and retried, possibly at another replica, up to this many
   * attempts.
   */
  readSilentBeatsMax: 2,
  readAttemptsMax: 3,
  /** How long `close` waits for work in progress. */
  drainMs: 10_000,
  /** Requests that one service process handles at a time; more are refused as unavailable. */
  callsMax: 5_000,
  /** The same for one organization, so that there is always room for others. */
  callsOfOneMax: 4_000,
  /** Events that one consumer processes at a time. */
  consumerConcurrency: 8,
  consumerTimeoutMs: 25_000,
  /** Dead letters and undelivered events kept in memory when there is no external broker. */
  deadLettersMax: 1_000,
  pendingEventsMax: 1_000,
  /** How much of one service's events the broker stores, unless configured otherwise; the oldest are dropped first. */
  eventBytesMax: 512 * 1024 * 1024,
  eventDaysMax: 7,
  duplicateWindowMs: 120_000,
  /** Delays between delivery attempts; after the last attempt, the event becomes a dead letter. */
  redeliveryMs: [100, 500, 2_000, 10_000, 30_000, 60_000, 120_000],
  /** The same in process, where the publisher waits for the consumers. */
  redeliveryInProcessMs: [50, 200, 1_000],
} as const;
