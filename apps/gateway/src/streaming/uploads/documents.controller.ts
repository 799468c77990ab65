import { Controller, Req, Res } from '@nestjs/common';
import { documentBytesMax, Fault, type FaultCode, saveDocument } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiredAccess } from '../../access/required-access';
import { permits } from '../../access/permits';
import { parseInput } from '../../routes/complaints';
import { dressed } from '../../routes/envelopes';
import { gatewayCall } from '../../routes/gateway-call';
import { Answers, endpointOf } from '../endpoint-of';
import { Uploads } from './uploads';

const endpoint = endpointOf('saveDocument');
/** After these the service may have kept the document, and its file with it. */
const undecided: readonly FaultCode[] = ['DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL'];

/** Takes a document to the store and the news of it to the service, which keeps the file. */
@Controller()
export class DocumentsController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly uploads: Uploads,
  ) {}

  // Whether this creates or updates stands in the form, which the guard cannot read: it lets every member in.
  @RequiredAccess({ keys: ['wsk'], needs: 'membership' })
  @Answers('saveDocument')
  async save(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    refuseWhoMayNeither(request);
    const { fileKey, fields } = await this.uploads.receive(request, { field: 'document', bytesMax: documentBytesMax });
    try {
      demandPermission(request, fields);
      const document = parseInput(saveDocument.request, fields);
      const call = gatewayCall(request, reply, saveDocument.timeoutMs);
      return dressed.data(await runInCall(call, () => this.bus.ask(saveDocument, document)));
    } catch (error) {
      if (!(error instanceof Fault && undecided.includes(error.code))) await this.uploads.forget(fileKey);
      throw error;
    }
  }
}

/** Before a byte of the file is read. */
function refuseWhoMayNeither(request: FastifyRequest): void {
  try {
    demandPermission(request, {});
  } catch {
    demandPermission(request, { KBDocumentKeyID: 'any' });
  }
}

function demandPermission({ principal }: FastifyRequest, fields: unknown): void {
  const verdict = principal && permits(principal, endpoint, fields);
  if (!verdict?.granted) throw new Fault('SCOPE_MISSING', verdict && { message: verdict.reason });
}
