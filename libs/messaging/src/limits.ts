/** Every bound of messaging. NATS refuses above 1 MiB, headers included; the rest is what one peer may cost another. */
export const limits = {
  bodyBytesMax: 900 * 1024,
  /** Bytes of frames to one address that are batched into a message; a larger frame is sent alone. */
  batchBytesMax: 16 * 1024,
  /** How far a producer may be ahead of its reader. */
  windowItems: 64,
  windowBytes: 256 * 1024,
  /** Undelivered frames of one end of a channel; the oldest go first. Five seconds of 20 ms audio. */
  queuedFramesMax: 250,
  queuedFrameBytesMax: 1024 * 1024,
  /** Undelivered signals of one end of a channel; one more closes it. */
  queuedSignalsMax: 1000,
  /** How often each side of a stream or channel shows that it is alive… */
  beatMs: 400,
  /** …and how many silent beats end it: under two seconds. */
  silentBeatsMax: 4,
  /** A channel open for ten seconds that never missed two beats is given up sooner: within 1.6 seconds. */
  steadySilentBeatsMax: 3,
  steadyBeatsMin: 25,
  /** A question that only reads is given up after so many, and asked again: of one replica after the other, this often in all. */
  readSilentBeatsMax: 2,
  readAttemptsMax: 3,
  /** How long `close` waits for work in progress. */
  drainMs: 10_000,
  /** Requests that one service process has in progress; further ones are refused as unavailable. */
  callsMax: 5_000,
  /** Those of one organization, so that there is always room for another's. */
  callsOfOneMax: 4_000,
  /** Events that one consumer works on at a time. */
  consumerConcurrency: 8,
  consumerTimeoutMs: 25_000,
  /** Dead letters and undelivered events kept in memory when there is no external broker. */
  deadLettersMax: 1_000,
  pendingEventsMax: 1_000,
  /** What the broker stores of one service's events, unless configured otherwise; the oldest are dropped first. */
  eventBytesMax: 512 * 1024 * 1024,
  eventDaysMax: 7,
  duplicateWindowMs: 120_000,
  /** Waits between delivery attempts; after the last, the event becomes a dead letter. */
  redeliveryMs: [100, 500, 2_000, 10_000, 30_000, 60_000, 120_000],
  /** The same in process, where the emitter waits for the consumers. */
  redeliveryInProcessMs: [50, 200, 1_000],
} as const;
