/** Every bound of messaging. NATS refuses above 1 MiB, headers included; the rest is what one peer may cost another. */
export const limits = {
  bodyBytesMax: 900 * 1024,
  /** Frames to one address that leave together; what is larger leaves alone. */
  parcelBytesMax: 16 * 1024,
  /** How far a producer may be ahead of its reader. */
  windowItems: 64,
  windowBytes: 256 * 1024,
  /** Undelivered frames of one end of a channel; the oldest go first. Five seconds of 20 ms audio. */
  queuedFramesMax: 250,
  queuedFrameBytesMax: 1024 * 1024,
  /** Undelivered signals of one end of a channel; one more closes it. */
  queuedSignalsMax: 1000,
  /** Each side of something that lasts is heard from at this pace… */
  beatMs: 400,
  /** …and is given up after so many beats in silence: under two seconds. */
  silentBeatsMax: 4,
  /** A live line that stands for ten seconds and never missed two of them is given up sooner: within 1.6 seconds. */
  steadySilentBeatsMax: 3,
  steadyBeatsMin: 25,
  /** A question that only reads is given up after so many, and asked again: of one replica after the other, this often in all. */
  readSilentBeatsMax: 2,
  readAttemptsMax: 3,
  /** What `close` waits for work under way. */
  drainMs: 10_000,
  /** Requests that one service process works on at a time; more are told to come back. */
  callsMax: 5_000,
  /** Those of one organization, so that there is always room for another's. */
  callsOfOneMax: 4_000,
  /** Events that one consumer works on at a time. */
  consumerConcurrency: 8,
  consumerTimeoutMs: 25_000,
  /** Dead letters and undelivered events that one process keeps in memory when there is no broker outside. */
  deadLettersMax: 1_000,
  pendingEventsMax: 1_000,
  /** What the broker keeps of the events of one service, unless configured otherwise; the oldest go first. */
  eventBytesMax: 512 * 1024 * 1024,
  eventDaysMax: 7,
  duplicateWindowMs: 120_000,
  /** Waits between the attempts at an event; after the last one it is a dead letter. */
  redeliveryMs: [100, 500, 2_000, 10_000, 30_000, 60_000, 120_000],
  /** The same inside one process, where whoever emits waits for the consumers. */
  redeliveryInProcessMs: [50, 200, 1_000],
} as const;
