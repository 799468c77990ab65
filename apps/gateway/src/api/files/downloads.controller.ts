import { Controller, Req, Res } from '@nestjs/common';
import {
  type CsvPart,
  exportCampaignContacts,
  exportContacts,
  exportCreditUsage,
  exportFacts,
  Fault,
  findRecording,
} from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bodyOf, gatewayCall, parseInput } from '../../endpoint/gateway-call';
import { Answers } from '../hand-written';

const contentTypes: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg', ogg: 'audio/ogg' };

/** Serves the recording of a conversation to whoever may read its log. */
@Controller()
export class RecordingController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly files: FileStore,
  ) {}

  @Answers('findRecording')
  async recording(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const choice = parseInput(findRecording.request, request.query);
    const call = gatewayCall(request, reply, findRecording.timeoutMs);
    const { fileKey } = await runInCall(call, () => this.bus.ask(findRecording, choice));
    const sound = await this.files.open(fileKey);
    if (!sound) throw new Fault('NOT_FOUND', { message: 'The recording is no longer stored.' });
    const [, ending = ''] = /\.(\w+)$/.exec(fileKey) ?? [];
    await reply
      .type(contentTypes[ending] ?? 'application/octet-stream')
      .header('cache-control', 'private, no-store')
      .send(sound);
  }
}

/** Streams contacts as a file while the service reads them. */
@Controller()
export class ContactsExportController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('exportContacts')
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = parseInput(exportContacts.request, request.body ?? {});
    const { timeoutMs } = exportContacts;
    return sendCsv(request, reply, { fileName: 'contacts.csv', timeoutMs, open: () => this.bus.stream(exportContacts, body) });
  }

  @Answers('exportCampaignContacts')
  async exportOfCampaign(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = parseInput(exportCampaignContacts.request, request.body ?? {});
    const { timeoutMs } = exportCampaignContacts;
    const open = () => this.bus.stream(exportCampaignContacts, body);
    return sendCsv(request, reply, { fileName: 'campaign-contacts.csv', timeoutMs, open });
  }
}

/** Streams calls, conversations, turns and charges as a file while they are read. */
@Controller()
export class FactsExportController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('exportFacts')
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = parseInput(exportFacts.request, request.body ?? {});
    const { timeoutMs } = exportFacts;
    return sendCsv(request, reply, { fileName: `${body.facts}.csv`, timeoutMs, open: () => this.bus.stream(exportFacts, body) });
  }
}

/** Streams the credit ledger as a file while it is read. */
@Controller()
export class UsageExportController {
  constructor(private readonly bus: ServiceBus) {}

  @Answers('exportCreditUsage')
  async export(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = parseInput(exportCreditUsage.request, request.body ?? {});
    const { timeoutMs } = exportCreditUsage;
    return sendCsv(request, reply, { fileName: 'credits.csv', timeoutMs, open: () => this.bus.stream(exportCreditUsage, body) });
  }
}

type DownloadedPart = z.output<typeof CsvPart>;

interface Export {
  readonly fileName: string;
  readonly timeoutMs: number;
  /** Opens the stream; runs in the context of the request's call. */
  open(): AsyncIterable<DownloadedPart>;
}

/** Streams a CSV file while a service writes it. */
async function sendCsv(request: FastifyRequest, reply: FastifyReply, { fileName, timeoutMs, open }: Export): Promise<void> {
  const call = gatewayCall(request, reply, timeoutMs);
  const parts = runInCall(call, open)[Symbol.asyncIterator]();
  // Wait for the first part before sending the status: until then a refusal can still be a proper error response.
  const first = await runInCall(call, () => parts.next());
  await reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(bodyOf(linesOf(first, parts), { reply, call }));
}

async function* linesOf(first: IteratorResult<DownloadedPart>, parts: AsyncIterator<DownloadedPart>): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await parts.next()) yield next.value.csv;
  } finally {
    await parts.return?.();
  }
}
