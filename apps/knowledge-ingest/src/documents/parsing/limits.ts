const megabyte = 1024 * 1024;

/** What one document may cost. Beyond a limit it is refused with a sentence that names the limit. */
export const limits = {
  bytes: 10 * megabyte,
  pages: 2_000,
  rows: 250_000,
  columns: 200,
  characters: 12_000_000,
  chunks: 40_000,
  zipEntries: 2_000,
  zipEntryBytes: 128 * megabyte,
  zipBytes: 256 * megabyte,
  heapMegabytes: 768,
  residentBytes: 1_200 * megabyte,
  milliseconds: 20_000,
} as const;

export const tooManyRows = `The table has more than ${limits.rows} rows.`;
