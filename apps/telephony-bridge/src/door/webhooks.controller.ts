import { All, Controller, Param, Req, Res } from '@nestjs/common';
import { Fault, faultCatalogue } from '@parley/contracts';
import type { WebhookReply } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CarrierWebhooks } from './webhooks.service';

const empty = new Uint8Array();
/** Everywhere but at the status address the carrier waits to be told what to do. */
const asks: Readonly<Record<string, 'answer' | 'status' | undefined>> = {
  answer: 'answer',
  after: 'answer',
  document: 'answer',
  status: 'status',
};

/** Carriers' requests over HTTP. Their bodies stay as they came, because signatures are made of their bytes. */
@Controller('telephony')
export class WebhooksController {
  constructor(private readonly webhooks: CarrierWebhooks) {}

  @All(':carrier/:account/:what')
  async receive(
    @Param('carrier') carrier: string,
    @Param('account') account: string,
    @Param('what') what: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = request.body instanceof Uint8Array ? request.body : empty;
    const { method, url: path, headers } = request;
    const asked = asks[what];
    const answer =
      isKey(account) && asked
        ? await this.webhooks.receive({ carrier, account, asked }, { method, path, headers, body }).catch(answerOfFault)
        : { status: 404, contentType: 'text/plain', body: 'There is no such account.' };
    await reply.status(answer.status).header('content-type', answer.contentType).send(answer.body);
  }
}

/** A carrier that is told to come again does so; one that reads of an error of ours hangs up. */
function answerOfFault(error: unknown): WebhookReply {
  if (!(error instanceof Fault)) throw error;
  const { status, isRetryable } = faultCatalogue[error.code];
  if (!isRetryable) throw error;
  return { status, contentType: 'text/plain', body: 'Come again in a moment.' };
}

function isKey(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
