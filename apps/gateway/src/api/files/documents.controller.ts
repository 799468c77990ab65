import { Controller, Req, Res } from '@nestjs/common';
import { documentBytesMax, Fault, type FaultCode, saveDocument } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requirePermit } from '../../door/access/permit.guard';
import { parseInput } from '../routes/complaints';
import { dressed } from '../routes/envelopes';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../endpoint-of';
import { Uploads } from './uploads';

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
