import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, uploadsOf } from '@parley/contracts';
import { FileStore } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyRequest } from 'fastify';
import { receiveForm } from './received-form';

/** A form whose one file is in the store. */
export interface Upload {
  readonly fileKey: string;
  /** As the client sent them, the file as a reference. No contract has seen them yet. */
  readonly fields: Record<string, unknown>;
}

/** Takes files in at the door, each into the folder of its caller's organization. */
@Injectable()
export class Uploads {
  constructor(
    private readonly files: FileStore,
    private readonly log: Logger,
  ) {}

  async receive(request: FastifyRequest, { field, bytesMax }: { field: string; bytesMax: number }): Promise<Upload> {
    if (!request.principal) throw new Fault('INTERNAL', { cause: new Error('an upload belongs to an organization') });
    const fileKey = uploadsOf(request.principal.orgId) + randomUUID();
    const fields = await receiveForm(request, { files: this.files, key: fileKey, field, bytesMax });
    return { fileKey, fields };
  }

  /** Deletes what nobody needs any more. A store that fails keeps it, which harms nobody. */
  async forget(fileKey: string): Promise<void> {
    await this.files
      .delete(fileKey)
      .catch((error: unknown) => this.log.warn('An upload could not be deleted', { fileKey, error }));
  }
}
