import { Readable } from 'node:stream';
import { Controller, Req, Res } from '@nestjs/common';
import { exportContacts } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../routes/complaints';
import { gatewayCall } from '../routes/gateway-call';
import { Answers } from './endpoint-of';

/** Passes contacts on as a file while the service reads them. */
@Controller()
export class ContactsExportController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('exportContacts')
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = parseInput(exportContacts.request, request.body ?? {});
    const call = gatewayCall(request, reply, exportContacts.timeoutMs);
    const parts = runInCall(call, () => this.bus.stream(exportContacts, body))[Symbol.asyncIterator]();
    // The first part is awaited before the status is sent: until then a refusal can still be a proper answer.
    const first = await runInCall(call, () => parts.next());
    await reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="contacts.csv"')
      .send(Readable.from(linesOf(first, parts)));
  }
}

type Part = { readonly csv: string };

async function* linesOf(first: IteratorResult<Part>, parts: AsyncIterator<Part>): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await parts.next()) yield next.value.csv;
  } finally {
    await parts.return?.();
  }
}
