/** Samples as a file holds them: 16-bit mono, at the file's own rate. */
export interface SourceBlock {
  readonly samples: Int16Array;
  readonly sampleRate: number;
}
