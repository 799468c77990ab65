import { Readable } from 'node:stream';
import type { CsvPart } from '@parley/contracts';
import { runInCall } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { gatewayCall } from '../../endpoint/gateway-call';

type Part = z.output<typeof CsvPart>;

interface Export {
  readonly fileName: string;
  readonly timeoutMs: number;
  /** Begins the stream; runs inside the call of the request. */
  open(): AsyncIterable<Part>;
}

/** Passes a CSV file on while a service writes it. */
export async function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, timeoutMs, open }: Export,
): Promise<void> {
  const call = gatewayCall(request, reply, timeoutMs);
  const parts = runInCall(call, open)[Symbol.asyncIterator]();
  // The first part is awaited before the status is sent: until then a refusal can still be a proper answer.
  const first = await runInCall(call, () => parts.next());
  await reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(linesOf(first, parts)));
}

async function* linesOf(first: IteratorResult<Part>, parts: AsyncIterator<Part>): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await parts.next()) yield next.value.csv;
  } finally {
    await parts.return?.();
  }
}
