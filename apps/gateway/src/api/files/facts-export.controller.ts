import { Controller, Req, Res } from '@nestjs/common';
import { exportFacts } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../endpoint-of';
import { parseInput } from '../routes/complaints';
import { sendCsv } from './csv-answer';

/** Passes calls, conversations, turns and charges on as a file while they are read. */
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
