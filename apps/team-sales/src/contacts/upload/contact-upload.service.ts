import { Injectable } from '@nestjs/common';
import { Fault, type readContactUpload, type uploadContacts } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { BodyOf, ReplyOf } from '../../message-types';
import { Organization } from '../../organizations/organization.entity';
import { findWorkingRepresentative } from '../../representatives/find-representative';
import type { Representative } from '../../representatives/representative.entity';
import type { ContactFields } from '../contact-fields';
import { Mappings } from '../mappings';
import { claimUpload } from './claim-upload';
import { ContactFile } from './contact-file';
import { saveContacts } from './save-contacts';
import type { RowError } from './upload.entity';
import { Upload } from './upload.entity';
import { addProgress, beginRows, endUpload } from './upload-progress';
import { uploadToWire } from './upload.wire';

type Reply = ReplyOf<typeof uploadContacts>;

const batchRows = 1_000;
const uploadsAtOnceMax = 4;

/** Files of contacts: read twice, first to refuse what cannot be read, then to save it batch by batch. */
@Injectable()
export class ContactUploadService {
  private underWay = 0;

  constructor(
    private readonly tenants: TenantScope,
    private readonly files: FileStore,
    private readonly mappings: Mappings,
  ) {}

  async upload(body: BodyOf<typeof uploadContacts>, call: Call): Promise<Reply> {
    const orgId = organizationOf(call);
    if (!body.file.fileKey.startsWith(`contacts/${orgId}/`))
      throw new Fault('NOT_FOUND', { message: 'The uploaded file is gone.' });
    if (this.underWay >= uploadsAtOnceMax) {
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'Too many uploads at once.', retryAfterSeconds: 5 });
    }
    this.underWay += 1;
    try {
      return await this.take(body, orgId);
    } finally {
      // Whatever became of it, the file has been read: a repeated upload brings its own.
      await this.files.delete(body.file.fileKey);
      this.underWay -= 1;
    }
  }

  async read({ UploadKeyID }: BodyOf<typeof readContactUpload>, call: Call): Promise<Reply> {
    const orgId = organizationOf(call);
    const upload = await this.tenants.read(orgId, (manager) => manager.findOneBy(Upload, { orgId, keyId: UploadKeyID }));
    if (!upload) throw new Fault('NOT_FOUND');
    return uploadToWire(upload);
  }

  private async take(body: BodyOf<typeof uploadContacts>, orgId: number): Promise<Reply> {
    const { upload, representative, region } = await this.tenants.run(orgId, async (manager) => {
      const { defaultRegion } = await manager.findOneByOrFail(Organization, { orgId });
      const found = await findWorkingRepresentative(manager, { orgId, id: body.SalesUserID });
      return { upload: await claimUpload(manager, found, body), representative: found, region: defaultRegion };
    });
    if (upload.status === 'DONE') return uploadToWire(upload);
    return this.process({ upload, representative, file: new ContactFile(this.files, body.file.fileKey, region) });
  }

  private async process(work: UploadWork): Promise<Reply> {
    const { orgId } = work.upload;
    try {
      const { rowCount, isLast } = await work.file.inspect();
      await this.tenants.run(orgId, (manager) => beginRows(manager, work.upload, rowCount));
      for await (const batch of batchesOf(work.file, isLast)) await this.saveBatch(work, batch);
    } catch (error) {
      const reason =
        error instanceof Fault ? error.message : 'The upload failed on our side; upload the file again to complete it.';
      await this.tenants.run(orgId, (manager) => endUpload(manager, work.upload, reason));
      throw error;
    }
    return uploadToWire(await this.tenants.run(orgId, (manager) => endUpload(manager, work.upload, null)));
  }

  /** Contacts, their mapping, the event about it and the counts: all of a batch or nothing of it. */
  private saveBatch({ upload, representative }: UploadWork, batch: Batch): Promise<void> {
    return this.tenants.run(upload.orgId, async (manager) => {
      const saved = await saveContacts(manager, upload.orgId, batch.contacts);
      const assigned = await this.mappings.map(manager, representative, saved.ids, 'UPLOAD');
      const unchanged = saved.unchanged + batch.superseded;
      await addProgress(manager, upload, { ...saved, unchanged, assigned: assigned.length, errors: batch.errors });
    });
  }
}

interface UploadWork {
  readonly upload: Upload;
  readonly representative: Representative;
  readonly file: ContactFile;
}

interface Batch {
  readonly contacts: ContactFields[];
  readonly errors: RowError[];
  /** Rows whose number comes again further down. */
  superseded: number;
}

async function* batchesOf(file: ContactFile, isLast: (number: string, rowNo: number) => boolean): AsyncGenerator<Batch> {
  let batch: Batch = { contacts: [], errors: [], superseded: 0 };
  let rowNo = 0;
  for await (const row of file.rows()) {
    rowNo += 1;
    if ('error' in row) batch.errors.push(row.error);
    else if (isLast(row.contact.number, rowNo)) batch.contacts.push(row.contact);
    else batch.superseded += 1;
    if (rowNo % batchRows !== 0) continue;
    yield batch;
    batch = { contacts: [], errors: [], superseded: 0 };
  }
  if (rowNo % batchRows !== 0) yield batch;
}
