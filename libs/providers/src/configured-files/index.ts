import { Fault } from '@parley/contracts';
import { type FileStore, sweepFiles } from '@parley/ports';
import type { Logger, RegularTasks } from '@parley/service-kit';
import { z } from 'zod';
import { diskFiles } from '../disk-files';
import { s3Files } from '../s3-files';

/** Where uploads and recordings are kept. Every service that reads or writes files takes these, so that all mean the same place. */
export const FileStoreVariables = z.object({
  ...diskFiles.variables,
  ...s3Files.variables,
});

/** The file store that the variables describe: a bucket if one is named, else a folder. */
export function openFileStore(config: z.output<typeof FileStoreVariables>): FileStore {
  return s3Files.open(config) ?? diskFiles.open(config);
}

/** The gateway has stored an upload that this service does not find: they look in different places, which no caller can mend. */
export function uploadNotFound(): Fault {
  return new Fault('SERVICE_UNAVAILABLE', {
    message: 'The file was stored, and the service that reads it does not find it.',
    dependency: 'files shared with the gateway',
  });
}

const everyMs = 60 * 60 * 1_000;

interface Swept {
  readonly files: FileStore;
  readonly folder: string;
  readonly log: Logger;
  readonly tasks: RegularTasks;
  /** Of these keys, the ones that the service still refers to. */
  readonly kept: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Deletes hourly the files of a folder that are a day old and unreferenced, left by a process killed during an upload. A provider
 * of the service that owns the folder; every replica may run one.
 */
export class FileSweep {
  constructor(private readonly swept: Swept) {}

  onApplicationBootstrap(): void {
    const trouble = 'Files could not be swept';
    this.swept.tasks.of({ name: 'old files', everyMs, run: () => this.sweepAndTell(), trouble }).start(everyMs);
  }

  /** Answers how many files it deleted. */
  sweep(nowMs: number): Promise<number> {
    const { files, folder, kept } = this.swept;
    return sweepFiles(files, folder, { nowMs, kept });
  }

  private async sweepAndTell(): Promise<void> {
    const { folder, log } = this.swept;
    const deleted = await this.sweep(Date.now());
    if (deleted > 0) log.info('Unreferenced uploads were deleted', { folder, deleted });
  }
}
