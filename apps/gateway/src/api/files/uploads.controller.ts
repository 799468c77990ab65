import { randomUUID } from 'node:crypto';
import { Controller, Req, Res } from '@nestjs/common';
import {
  documentBytesMax,
  Fault,
  type FaultCode,
  type RequestContract,
  saveDocument,
  uploadCampaignContacts,
  uploadContacts,
} from '@parley/contracts';
import { organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requirePermit } from '../../door/access/permits';
import { gatewayCall } from '../../endpoint/gateway-call';
import { dressed } from '../../endpoint/route';
import { Answers } from '../endpoint-of';
import { parseInput } from '../routes/complaints';
import { receiveForm, Uploads } from './uploads';

/** After these the service may have kept the document, and its file with it. */
const undecided: readonly FaultCode[] = ['DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL'];

/** Takes a document to the store and the news of it to the service, which keeps the file. */
@Controller()
export class DocumentsController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly uploads: Uploads,
  ) {}

  @Answers('saveDocument')
  async save(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { fileKey, fields } = await this.uploads.receive(request, { field: 'document', bytesMax: documentBytesMax });
    try {
      requirePermit(request, fields);
      const document = parseInput(saveDocument.request, fields);
      const call = gatewayCall(request, reply, saveDocument.timeoutMs);
      return dressed.data(await runInCall(call, () => this.bus.ask(saveDocument, document)));
    } catch (error) {
      if (!(error instanceof Fault && undecided.includes(error.code))) await this.uploads.forget(fileKey);
      throw error;
    }
  }
}

const bytesMax = 10 * 1024 * 1024;

/** Takes a CSV of contacts to the store and the news of it to the service, which deletes the file when it has read it. */
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
    const input = await receiveForm(request, { files: this.files, key, field: 'file', bytesMax });
    return dressed.data(await runInCall(call, () => this.hand(contract, input, key)));
  }

  private async hand(contract: RequestContract, input: Record<string, unknown>, key: string): Promise<unknown> {
    try {
      const body = parseInput(contract.request, input);
      return await this.bus.ask(contract, body);
    } catch (error) {
      // A service that never heard of the file cannot delete it; one that did has.
      await this.files.delete(key);
      throw error;
    }
  }
}
