import { randomUUID } from 'node:crypto';
import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  Fault,
  notThere,
  readContactFile,
  readContactUpload,
  type ReplyOf,
  uploadContacts,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, isCallerPermitted, organizationOf } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import { Organization } from '../../team/membership.entity';
import { choiceOf, findRepresentative, findWorkingRepresentative, type Representative } from '../../team/representatives';
import { Mappings } from '../mappings';
import { ContactFile } from './contact-file';
import { MappedFile } from './mapped-file';
import {
  addProgress,
  beginRows,
  ContactUpload,
  endUpload,
  type RowError,
  saidAgain,
  type SaidOfContact,
  saveContacts,
  type Uploader,
} from './upload-rows';

/** A batch takes far less: after a longer silence, the process is presumed dead. */
const silenceMsMax = 20_000;

const nothingYet = {
  status: 'PROCESSING',
  rowCount: 0,
  createdCount: 0,
  updatedCount: 0,
  unchangedCount: 0,
  assignedCount: 0,
  errorCount: 0,
  errors: [],
  reason: null,
} as const;

type UploadContactsReply = ReplyOf<typeof uploadContacts>;

const batchRows = 1_000;
const uploadsAtOnceMax = 16;
/** Limits each organization, to leave room for the others; its next file may be sent when one is done. */
const uploadsOfOneMax = 2;
const retryAfterSeconds = 5;

/** Imports files of contacts: each is read twice, first to check that it is readable, then to save it batch by batch. */
@Injectable()
export class ContactUploadService {
  /** The organizations of the uploads in progress. */
  private readonly underWay: number[] = [];

  constructor(
    private readonly tenants: TenantScope,
    private readonly files: FileStore,
    private readonly mappings: Mappings,
  ) {}

  async upload(body: BodyOf<typeof uploadContacts>, call: Call): Promise<UploadContactsReply> {
    const orgId = organizationOf(call);
    if (!body.file.fileKey.startsWith(`contacts/${orgId}/`))
      throw new Fault('NOT_FOUND', { message: 'The uploaded file no longer exists.' });
    if (this.underWay.filter((other) => other === orgId).length >= uploadsOfOneMax)
      throw new Fault('RATE_LIMITED', {
        message: `${uploadsOfOneMax} files of contacts of the organization are being saved.`,
        retryAfterSeconds,
      });
    if (this.underWay.length >= uploadsAtOnceMax)
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'Too many uploads at once.', retryAfterSeconds });
    this.underWay.push(orgId);
    try {
      return await this.take(body, call);
    } finally {
      // Whatever the outcome, the file is no longer needed: a repeated upload sends it again.
      await this.files.delete(body.file.fileKey);
      this.underWay.splice(this.underWay.indexOf(orgId), 1);
    }
  }

  async read({ UploadKeyID }: BodyOf<typeof readContactUpload>, call: Call): Promise<UploadContactsReply> {
    const orgId = organizationOf(call);
    const upload = await this.tenants.read(orgId, (manager) => manager.findOneBy(ContactUpload, { orgId, keyId: UploadKeyID }));
    if (!upload) throw notThere('upload');
    return this.shown(upload);
  }

  private async take(body: BodyOf<typeof uploadContacts>, call: Call): Promise<UploadContactsReply> {
    const orgId = organizationOf(call);
    const fileHash = await new ContactFile(this.files, body.file.fileKey, '').fingerprint();
    const { upload, representative, region } = await this.tenants.run(orgId, async (manager) => {
      const { defaultRegion } = await manager.findOneByOrFail(Organization, { orgId });
      const found = await findWorkingRepresentative(manager, choiceOf(orgId, body));
      return { upload: await claimUpload(manager, found, { ...body, fileHash }), representative: found, region: defaultRegion };
    });
    if (upload.status === 'DONE') return uploadToWire(upload, representative);
    const [mayAdd, mayUpdate] = [isCallerPermitted(call, 'contacts.CanAdd'), isCallerPermitted(call, 'contacts.CanUpdate')];
    const file = new ContactFile(this.files, body.file.fileKey, region);
    return this.process({ upload, representative, mayAdd, mayUpdate, file });
  }

  private async process(work: UploadWork): Promise<UploadContactsReply> {
    const { orgId } = work.upload;
    try {
      const { rowCount, ignoredColumns, isLast } = await work.file.inspect();
      const seen = { rowCount, ignoredColumns: [...ignoredColumns] };
      await this.tenants.run(orgId, (manager) => beginRows(manager, work.upload, seen));
      for await (const batch of batchesOf(work.file, isLast)) await this.saveBatch(work, batch);
    } catch (error) {
      const reason =
        error instanceof Fault ? error.message : 'The upload failed on our side; upload the file again to complete it.';
      await this.tenants.run(orgId, (manager) => endUpload(manager, work.upload, reason));
      throw error;
    }
    return uploadToWire(await this.tenants.run(orgId, (manager) => endUpload(manager, work.upload, null)), work.representative);
  }

  private async shown(upload: ContactUpload): Promise<UploadContactsReply> {
    const { orgId, representativeId: id } = upload;
    return uploadToWire(upload, await this.tenants.read(orgId, (manager) => findRepresentative(manager, { orgId, id })));
  }

  /** Contacts, their mapping, the event about it and the counts: all of a batch or nothing of it. */
  private saveBatch(work: UploadWork, { said, errors }: Batch): Promise<void> {
    const { upload, representative } = work;
    return this.tenants.run(upload.orgId, async (manager) => {
      const saved = await saveContacts(manager, work, said);
      const assigned = await this.mappings.map(manager, representative, saved.ids, 'UPLOAD');
      const refused = [...errors, ...saved.refused].sort((one, other) => one.line - other.line);
      await addProgress(manager, upload, { ...saved, assigned: assigned.length, errors: refused });
    });
  }
}

interface UploadWork extends Uploader {
  readonly upload: ContactUpload;
  readonly representative: Representative;
  readonly file: ContactFile;
}

interface Batch {
  readonly said: SaidOfContact[];
  readonly errors: RowError[];
}

async function* batchesOf(file: ContactFile, isLast: (number: string, rowNo: number) => boolean): AsyncGenerator<Batch> {
  let batch: Batch = { said: [], errors: [] };
  // The fields of numbers that occur again further down: a later row overrides them, except where its cells are blank.
  const open = new Map<string, SaidOfContact>();
  let rowNo = 0;
  for await (const row of file.rows()) {
    rowNo += 1;
    if ('error' in row) batch.errors.push(row.error);
    else {
      const { number } = row.contact;
      const merged = saidAgain(open.get(number), row);
      if (isLast(number, rowNo)) batch.said.push(merged);
      open.set(number, merged);
    }
    if (rowNo % batchRows !== 0) continue;
    yield batch;
    batch = { said: [], errors: [] };
  }
  if (rowNo % batchRows !== 0) yield batch;
}

/**
 * Claims an upload for this process. A finished one is returned as it is. One that failed or whose process died starts again
 * under its id, which completes it: rows already saved do not change.
 */
async function claimUpload(
  manager: EntityManager,
  representative: Representative,
  body: BodyOf<typeof uploadContacts> & { readonly fileHash: Buffer },
): Promise<ContactUpload> {
  const { orgId, id: representativeId } = representative;
  const keyId = body.UploadKeyID ?? randomUUID();
  const record = { orgId, keyId, representativeId, fileKey: body.file.fileKey, fileHash: body.fileHash };
  // Locks the name and not a row: of two concurrent first requests, only one may find that there is no row yet.
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`upload ${orgId} ${keyId}`]);
  const known = await manager.findOneBy(ContactUpload, { orgId, keyId });
  if (!known)
    return manager.save(ContactUpload, {
      ...manager.create(ContactUpload, record),
      ...nothingYet,
      errors: [],
      ignoredColumns: [],
    });
  if (known.status === 'DONE') return requireSame(known, record);
  if (isUnderWay(known)) throw new Fault('CONFLICT', { message: 'This upload is already in progress.' });
  return manager.save(ContactUpload, { ...known, ...record, ...nothingYet, errors: [], ignoredColumns: [], aliveAt: new Date() });
}

/** A reused id with another file must be refused: the client would believe that the file was saved. */
function requireSame(
  done: ContactUpload,
  { fileHash, representativeId }: Pick<ContactUpload, 'fileHash' | 'representativeId'>,
): ContactUpload {
  const isSameFile = !done.fileHash || !fileHash || done.fileHash.equals(fileHash);
  if (isSameFile && done.representativeId === representativeId) return done;
  throw new Fault('CONFLICT', {
    message: 'This UploadKeyID was used for another file or representative: choose a new one, or leave it out.',
  });
}

/** Whether a process still seems to work on this upload. */
function isUnderWay({ status, aliveAt }: ContactUpload): boolean {
  return status === 'PROCESSING' && Date.now() - aliveAt.getTime() < silenceMsMax;
}

/** The progress of an upload. One whose process died counts as FAILED, with what was saved and what to do. */
function uploadToWire(upload: ContactUpload, { keyId: SalesUserKeyID }: Representative): ReplyOf<typeof readContactUpload> {
  const isLost = upload.status === 'PROCESSING' && !isUnderWay(upload);
  return {
    UploadKeyID: upload.keyId,
    UploadID: upload.id,
    SalesUserKeyID,
    SalesUserID: upload.representativeId,
    status: isLost ? 'FAILED' : upload.status,
    rowCount: upload.rowCount,
    createdCount: upload.createdCount,
    updatedCount: upload.updatedCount,
    unchangedCount: upload.unchangedCount,
    assignedCount: upload.assignedCount,
    errorCount: upload.errorCount,
    errors: upload.errors,
    ignoredColumns: upload.ignoredColumns,
    reason: isLost
      ? 'The upload was interrupted. The rows counted here are saved; upload the file again to complete it.'
      : upload.reason,
  };
}

/** Uploads over the bus. */
@Controller()
export class ContactUploadController {
  constructor(
    private readonly uploads: ContactUploadService,
    private readonly mapped: MappedFile,
  ) {}

  @Handles(uploadContacts)
  upload(body: BodyOf<typeof uploadContacts>, call: Call): Promise<ReplyOf<typeof uploadContacts>> {
    return this.uploads.upload(body, call);
  }

  @Handles(readContactUpload)
  read(body: BodyOf<typeof readContactUpload>, call: Call): Promise<ReplyOf<typeof readContactUpload>> {
    return this.uploads.read(body, call);
  }

  @Handles(readContactFile)
  readFile(body: BodyOf<typeof readContactFile>, call: Call): ReturnType<MappedFile['read']> {
    return this.mapped.read(body, call);
  }
}
