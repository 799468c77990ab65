import { Controller, Req, Res } from '@nestjs/common';
import { recordingBytesMax, transcribeRecording } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeableOf } from '../../credits/chargeable';
import { Charging } from '../../credits/charging';
import { parseInput } from '../../routes/complaints';
import { dressed } from '../../routes/envelopes';
import { gatewayCall } from '../../routes/gateway-call';
import { Answers } from '../endpoint-of';
import { Uploads } from '../uploads/uploads';
import { expectedSeconds } from './expected-seconds';

/** Writes down a recording and charges for its seconds. The file is gone when the answer is out. */
@Controller()
export class TranscriptionController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly charging: Charging,
    private readonly uploads: Uploads,
  ) {}

  @Answers('transcribeRecording')
  async transcribe(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { fileKey, fields } = await this.uploads.receive(request, { field: 'audioFile', bytesMax: recordingBytesMax });
    try {
      const wish = parseInput(transcribeRecording.request, fields);
      const call = gatewayCall(request, reply, transcribeRecording.timeoutMs);
      return await this.charging.run(chargeableOf(request, { STT_API: expectedSeconds(wish) }), async (charge) => {
        const heard = await runInCall(call, () => this.bus.ask(transcribeRecording, wish));
        charge.use('STT_API', heard.audioSeconds);
        return dressed.flat(heard);
      });
    } finally {
      await this.uploads.forget(fileKey);
    }
  }
}
