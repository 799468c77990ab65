import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { documentBytesMax, Fault, type FileReference, uploadsOf } from '@parley/contracts';
import type { TenantScope } from '@parley/database';
import { FileTooLarge, limitBytes } from '@parley/ports';
import type { Upload } from '../database/entities';
import { Engines } from '../engines';
import { fileTypes, fits, typeByName } from './parsing/file-type';

const headBytes = 1024;

/** Looks at an uploaded file before anything is promised: its name, its first bytes, its size and its hash. */
@Injectable()
export class Uploads {
  constructor(private readonly engines: Engines) {}

  async check(orgId: number, { fileKey, fileName, contentType }: FileReference): Promise<Upload> {
    if (!fileKey.startsWith(uploadsOf(orgId))) throw missing('is not an upload of this workspace');
    const type = typeByName(fileName);
    if (!type)
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', {
        message: `A document is one of: ${fileTypes.map((known) => `.${known}`).join(', ')}.`,
      });
    const stream = await this.engines.files.open(fileKey);
    if (!stream) throw missing('is not there any more');
    const { head, size, sha256 } = await digest(stream);
    if (size === 0)
      throw new Fault('VALIDATION_FAILED', {
        message: 'The file is empty.',
        details: [{ field: 'document', message: 'is empty' }],
      });
    if (!fits(type, head))
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: `The content of the file is not what .${type} says.` });
    return { fileKey, fileName, contentType, size, sha256 };
  }

  /** Files that no document refers to any more. A failure leaves one behind for the sweep. */
  async forget(fileKey: string): Promise<void> {
    await this.engines.files.delete(fileKey).catch(() => undefined);
  }
}

function missing(reason: string): Fault {
  const message = `document ${reason}`;
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'document', message }] });
}

async function digest(stream: AsyncIterable<Uint8Array>): Promise<{ head: Uint8Array; size: number; sha256: string }> {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  try {
    for await (const part of limitBytes(stream, documentBytesMax)) {
      hash.update(part);
      size += part.byteLength;
      if (head.length < headBytes) head = Buffer.concat([head, part]).subarray(0, headBytes);
    }
  } catch (error) {
    throw error instanceof FileTooLarge ? new Fault('PAYLOAD_TOO_LARGE', { message: 'A document has at most 10 MB.' }) : error;
  }
  return { head, size, sha256: hash.digest('hex') };
}

/**
 * Of these keys of the file store, the ones that a document of any organization refers to, served or waiting. All of them
 * while there is no knowledge base at all: an empty database is sooner the wrong one for this store than the right one.
 */
export async function keptFiles(tenants: TenantScope, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const kept = await tenants.acrossTenants('an upload that was never told of has no organization to ask', (manager) =>
    manager.query<{ key: string }[]>(
      `SELECT file_key AS key FROM documents WHERE file_key = ANY($1)
       UNION SELECT served ->> 'fileKey' FROM documents WHERE served ->> 'fileKey' = ANY($1)
       UNION SELECT unnest($1::text[]) WHERE NOT EXISTS (SELECT FROM knowledge_bases)`,
      [keys],
    ),
  );
  return new Set(kept.map(({ key }) => key));
}
