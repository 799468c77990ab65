import { randomUUID } from 'node:crypto';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import { Controller, Injectable, Req, Res } from '@nestjs/common';
import {
  documentBytesMax,
  Fault,
  type FaultCode,
  type FileReference,
  importSpreadsheet,
  type RequestContract,
  saveDocument,
  uploadCampaignContacts,
  uploadContacts,
  uploadsOf,
} from '@parley/contracts';
import { organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { FileStore, FileTooLarge, ProviderFailure } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requirePermit } from '../../door/access/permits';
import { JsonShape } from '../../door/http/request-body';
import { formFault, formInput, formOptions, longFields, tooLong } from '../../endpoint/forms';
import { gatewayCall, parseInput } from '../../endpoint/gateway-call';
import { inEnvelope } from '../../endpoint/endpoint';
import { Answers } from '../hand-written';

/** A form whose one file has been stored. */
interface Upload {
  readonly fileKey: string;
  /** As the client sent them, with the file replaced by a reference. Not yet checked against a contract. */
  readonly fields: Record<string, unknown>;
}

/** Stores uploaded files, each in the folder of its caller's organization. */
@Injectable()
export class Uploads {
  constructor(
    private readonly files: FileStore,
    private readonly log: Logger,
  ) {}

  async receive(request: FastifyRequest, form: Pick<Destination, 'schema' | 'field' | 'bytesMax'>): Promise<Upload> {
    if (!request.principal) throw new Fault('INTERNAL', { cause: new Error('an upload belongs to an organization') });
    const fileKey = uploadsOf(request.principal.orgId) + randomUUID();
    const fields = await receiveForm(request, { files: this.files, key: fileKey, ...form });
    return { fileKey, fields };
  }

  /** Deletes a file that is no longer needed. If that fails the file stays, which is harmless. */
  async forget(fileKey: string): Promise<void> {
    await this.files
      .delete(fileKey)
      .catch((error: unknown) => this.log.warn('An upload could not be deleted', { fileKey, error }));
  }
}

/** What a form may contain, where its file goes, and how large that may be. */
interface Destination {
  readonly schema: z.ZodType;
  readonly files: FileStore;
  readonly key: string;
  /** The form's name for the file. */
  readonly field: string;
  readonly bytesMax: number;
}

const namedCharactersMax = 255;
const contentTypeCharactersMax = 127;
const unprintable = /\p{Cc}/gu;

/**
 * Reads a form with one file, streaming it to the store and never into memory. Returns the text fields and, under the file's own
 * field name, a reference to it. When it throws, the store keeps nothing.
 */
export async function receiveForm(request: FastifyRequest, destination: Destination): Promise<Record<string, unknown>> {
  if (!request.isMultipart()) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  // The parser would wait forever for a client that disconnected before its form was read.
  if (request.raw.destroyed) throw new Fault('CANCELLED');
  const parts: [string, unknown][] = [];
  let fields: Record<string, unknown>;
  try {
    const long = new Map(
      [...longFields(destination.schema)].map(([name, most]) => [name, Math.min(most, request.routeOptions.bodyLimit)]),
    );
    // One byte more than the store accepts, so that the store is what reports a file as too large.
    const limits = { fileSize: Math.max(destination.bytesMax, ...long.values()) + 1, files: 1 + long.size };
    for await (const part of request.parts({ limits, ...formOptions(destination.schema, long) })) {
      const bytesMax = long.get(part.fieldname);
      if (part.type === 'file' && parts.some(([name]) => name === part.fieldname)) throw sentTwice(part.fieldname, destination);
      if (part.type !== 'file') parts.push([part.fieldname, textOf(part, destination)]);
      else parts.push([part.fieldname, await (bytesMax ? longText(part, bytesMax) : stored(part, destination))]);
    }
    fields = formInput(destination.schema, parts);
  } catch (error) {
    discardRest(request);
    await destination.files.delete(destination.key);
    throw asFault(error, destination);
  }
  return readTo(request, fields, destination);
}

/** The file is not kept if the form could not be recorded. */
async function readTo(request: FastifyRequest, fields: Record<string, unknown>, { files, key }: Destination) {
  try {
    await request.formRead?.(fields);
    return fields;
  } catch (error) {
    await files.delete(key);
    throw error;
  }
}

/** Unread data would block the connection's next request. Reading it may take as long as any request. */
function discardRest({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}

async function stored(part: MultipartFile, { files, key, field, bytesMax }: Destination): Promise<FileReference> {
  if (part.fieldname !== field) throw mustBe(part.fieldname, `text, not a file: this form takes its file in the field ${field}`);
  const { bytes, sha256 } = await files.put(key, part.file, { bytesMax });
  const fileName = part.filename.replaceAll(unprintable, '').slice(-namedCharactersMax) || field;
  return { fileKey: key, fileName, size: bytes, sha256, contentType: part.mimetype.slice(0, contentTypeCharactersMax) };
}

function textOf(part: Exclude<Multipart, MultipartFile>, { field }: Destination): unknown {
  // A part declared as JSON arrives as an object; taken as a reference, it would open another caller's file.
  if (part.fieldname === field) throw mustBe(field, 'a file');
  if (part.valueTruncated) throw new Fault('PAYLOAD_TOO_LARGE', { message: tooLong(part.fieldname) });
  return part.value;
}

/** A field that its contract lets be long: counted as it arrives, as a body of JSON is, so that memory holds no more than is allowed. */
async function longText({ file, fieldname, mimetype }: MultipartFile, bytesMax: number): Promise<unknown> {
  const shape = new JsonShape();
  const pieces: Buffer[] = [];
  let bytes = 0;
  const chunks: AsyncIterable<Buffer> = file;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Fault('PAYLOAD_TOO_LARGE', { message: tooLong(fieldname, bytesMax) });
    const complaint = shape.take(chunk);
    if (complaint) throw new Fault('VALIDATION_FAILED', { details: [{ field: fieldname, message: complaint }] });
    pieces.push(chunk);
  }
  const text = Buffer.concat(pieces).toString();
  if (!mimetype.startsWith('application/json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw mustBe(fieldname, 'valid JSON');
  }
}

/** Of several, each would take as much memory as one may. */
function sentTwice(name: string, { field }: Destination): Fault {
  return name === field ? new Fault('VALIDATION_FAILED', { message: 'A form may have one file.' }) : mustBe(name, 'sent once');
}

function mustBe(field: string, what: string): Fault {
  const message = `${field} must be ${what}`;
  return new Fault('VALIDATION_FAILED', { message, details: [{ field, message }] });
}

function asFault(error: unknown, { field, bytesMax }: Destination): unknown {
  if (error instanceof FileTooLarge)
    return new Fault('PAYLOAD_TOO_LARGE', { message: `${field} may have ${bytesMax} bytes.`, cause: error });
  return error instanceof ProviderFailure ? error : formFault(error);
}

/** After these faults the service may have saved the document, so its file must stay. */
const undecided: readonly FaultCode[] = ['DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL'];

const bytesMax = 10 * 1024 * 1024;

/** Stores a document and tells the service, which keeps the file. */
@Controller()
export class DocumentUploadController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly uploads: Uploads,
  ) {}

  @Answers('saveDocument')
  async save(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { fileKey, fields } = await this.uploads.receive(request, {
      schema: saveDocument.request,
      field: 'document',
      bytesMax: documentBytesMax,
    });
    try {
      requirePermit(request, fields);
      const document = parseInput(saveDocument.request, fields);
      const call = gatewayCall(request, reply, saveDocument.timeoutMs);
      return inEnvelope.data(await runInCall(call, () => this.bus.ask(saveDocument, document)));
    } catch (error) {
      if (!(error instanceof Fault && undecided.includes(error.code))) await this.uploads.forget(fileKey);
      throw error;
    }
  }
}

/** Stores a spreadsheet of a business and tells the service, which deletes the file once it has read it. */
@Controller()
export class SpreadsheetsController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly uploads: Uploads,
  ) {}

  @Answers('importSpreadsheet')
  async import(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { fileKey, fields } = await this.uploads.receive(request, {
      schema: importSpreadsheet.request,
      field: 'file',
      bytesMax: documentBytesMax,
    });
    try {
      const body = parseInput(importSpreadsheet.request, fields);
      const call = gatewayCall(request, reply, importSpreadsheet.timeoutMs);
      return inEnvelope.data(await runInCall(call, () => this.bus.ask(importSpreadsheet, body)));
    } catch (error) {
      await this.uploads.forget(fileKey);
      throw error;
    }
  }
}

/** Stores a CSV of contacts and tells the service, which deletes the file once it has read it. */
@Controller()
export class ContactsUploadController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly files: FileStore,
  ) {}

  @Answers('uploadContacts')
  upload(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.take(uploadContacts, request, reply);
  }

  @Answers('uploadCampaignContacts')
  uploadForCampaign(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.take(uploadCampaignContacts, request, reply);
  }

  private async take(contract: RequestContract, request: FastifyRequest, reply: FastifyReply): Promise<object> {
    const call = gatewayCall(request, reply, contract.timeoutMs);
    const key = `contacts/${organizationOf(call)}/${randomUUID()}.csv`;
    const destination = { files: this.files, key, field: 'file', bytesMax, schema: contract.request };
    const input = await receiveForm(request, destination);
    return inEnvelope.data(await runInCall(call, () => this.hand(contract, input, key)));
  }

  private async hand(contract: RequestContract, input: Record<string, unknown>, key: string): Promise<unknown> {
    try {
      const body = parseInput(contract.request, input);
      return await this.bus.ask(contract, body);
    } catch (error) {
      // If the service received the message, it deleted the file itself; if not, nobody else will.
      await this.files.delete(key);
      throw error;
    }
  }
}
