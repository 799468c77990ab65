import { Fault } from '@parley/contracts';
import { type FileStore, sweepFiles } from '@parley/ports';
import type { Logger, RegularTasks } from '@parley/service-kit';
import { z } from 'zod';
import { diskFiles } from '../disk-files';
import { s3Files } from '../s3-files';

/** The variables of the file store, shared by all services that read or write files, so that they use the same place. */
export const FileStoreVariables = z.object({
  ...diskFiles.variables,
  ...s3Files.variables,
});

/** Opens the configured file store: a bucket if one is named, otherwise a folder. */
export function openFileStore(config: z.output<typeof FileStoreVariables>): FileStore {
  return s3Files.open(config) ?? diskFiles.open(config);
}

/** The fault if an upload stored by the gateway is missing: the services are configured with different places, which the caller cannot fix. */
export function uploadNotFound(): Fault {
  return new Fault('SERVICE_UNAVAILABLE', {
    message: 'The file was stored, but the service that reads it cannot find it.',
    dependency: 'files shared with the gateway',
  });
}

const everyMs = 60 * 60 * 1_000;

interface Swept {
  readonly files: FileStore;
  readonly folder: string;
  readonly log: Logger;
  readonly tasks: RegularTasks;
  /** Returns those of the keys that the service still refers to. */
  readonly kept: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Deletes hourly the files of a folder that are a day old and unreferenced, left by processes killed during an upload. The service that
 * owns the folder provides it; every replica may run one.
 */
export class FileSweep {
  constructor(private readonly swept: Swept) {}

  onApplicationBootstrap(): void {
    const trouble = 'Files could not be swept';
    this.swept.tasks.of({ name: 'old files', everyMs, run: () => this.sweepAndTell(), trouble }).start(everyMs);
  }

  /** Returns how many files it deleted. */
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
