import { Controller, Req, Res } from '@nestjs/common';
import { exportCampaignContacts, exportContacts } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../routes/complaints';
import { sendCsv } from './csv-answer';
import { Answers } from '../endpoint-of';

/** Passes contacts on as a file while the service reads them. */
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
