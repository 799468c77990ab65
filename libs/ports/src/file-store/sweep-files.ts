import type { FileStore } from './file-store';

/** Long enough that whoever received a file has told of it or will never do so, in milliseconds. */
export const orphanAgeMs = 24 * 60 * 60 * 1_000;
/** A store full of orphans is swept in several rounds. */
const deletedMax = 10_000;

interface Sweep {
  readonly nowMs: number;
  /** Of these keys, the ones that somebody still refers to. */
  readonly kept: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Deletes the files below a folder that are a day old and that nobody refers to: a process was killed between taking
 * them and telling of them. Answers how many; any number of processes may sweep at once.
 */
export async function sweepFiles(files: FileStore, folder: string, { nowMs, kept }: Sweep): Promise<number> {
  const beforeMs = nowMs - orphanAgeMs;
  let deleted = await files.forgetUnfinished(beforeMs);
  for await (const keys of files.writtenBefore(folder, beforeMs)) {
    const needed = await kept(keys);
    for (const key of keys) {
      if (needed.has(key)) continue;
      if (deleted >= deletedMax) return deleted;
      await files.delete(key);
      deleted += 1;
    }
  }
  return deleted;
}
