import { Controller, Req, Res } from '@nestjs/common';
import { recordingBytesMax, transcribeRecording } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { chargeableOf, Charging } from '../../money/charging';
import { parseInput } from '../../api/routes/complaints';
import { dressed } from '../../endpoint/route';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../../api/endpoint-of';
import { Uploads } from '../../api/files/uploads';

type Recording = Pick<z.output<typeof transcribeRecording.request>, 'audioFile' | 'durationSeconds'>;

// 16,000 samples of 16 bits, the usual recording of speech; and 48,000 in stereo, the fewest seconds that a size can be.
const usualBytesPerSecond = 32_000;

const bytesPerSecondMax = 192_000;

// Who hangs up does not stop the work: how much of it was done by then, nobody could say.
const never = new AbortController().signal;

/** Writes down a recording and charges for its seconds, whether or not anybody waits for it. The file is gone when the answer is out. */
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
        const heard = await runInCall({ ...call, signal: never }, () => this.bus.ask(transcribeRecording, wish));
        charge.use('STT_API', heard.audioSeconds);
        return dressed.flat(heard);
      });
    } finally {
      await this.uploads.forget(fileKey);
    }
  }
}

/** How long a recording will probably turn out to be: what the client says, unless the file is too large for that. */
function expectedSeconds({ audioFile: { size }, durationSeconds }: Recording): number {
  return Math.max(
    1,
    Math.ceil(durationSeconds === undefined ? size / usualBytesPerSecond : Math.max(durationSeconds, size / bytesPerSecondMax)),
  );
}
