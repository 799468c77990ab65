import { randomUUID } from 'node:crypto';
import { Controller, Req, Res } from '@nestjs/common';
import { type RequestContract, uploadCampaignContacts, uploadContacts } from '@parley/contracts';
import { organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../routes/complaints';
import { dressed } from '../routes/envelopes';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../endpoint-of';
import { receiveForm } from './received-form';

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
