import { Controller, Req, Res } from '@nestjs/common';
import { Fault, findRecording } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../routes/complaints';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../endpoint-of';

const contentTypes: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg', ogg: 'audio/ogg' };

/** Lets people hear a conversation whose log they may read. */
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
    if (!sound) throw new Fault('NOT_FOUND', { message: 'The recording is not kept any more.' });
    const [, ending = ''] = /\.(\w+)$/.exec(fileKey) ?? [];
    await reply
      .type(contentTypes[ending] ?? 'application/octet-stream')
      .header('cache-control', 'private, no-store')
      .send(sound);
  }
}
