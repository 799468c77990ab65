import { Controller, Req, Res } from '@nestjs/common';
import { exportCreditUsage } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../routes/complaints';
import { sendCsv } from './csv-answer';
import { Answers } from '../endpoint-of';

/** Passes the credit ledger on as a file while it is read. */
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
