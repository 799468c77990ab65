import { randomUUID } from 'node:crypto';
import { Controller, Req, Res } from '@nestjs/common';
import { uploadContacts } from '@parley/contracts';
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
  async upload(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const call = gatewayCall(request, reply, uploadContacts.timeoutMs);
    const key = `contacts/${organizationOf(call)}/${randomUUID()}.csv`;
    const input = await receiveForm(request, { files: this.files, key, field: 'file', bytesMax });
    return dressed.data(await runInCall(call, () => this.hand(input, key)));
  }

  private async hand(input: Record<string, unknown>, key: string): Promise<unknown> {
    try {
      const body = parseInput(uploadContacts.request, input);
      return await this.bus.ask(uploadContacts, body);
    } catch (error) {
      // A service that never heard of the file cannot delete it; one that did has.
      await this.files.delete(key);
      throw error;
    }
  }
}
