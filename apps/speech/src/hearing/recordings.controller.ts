import { Controller } from '@nestjs/common';
import { transcribeRecording } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { Recordings } from './recordings.service';

@Controller()
export class RecordingsController {
  constructor(private readonly recordings: Recordings) {}

  @Handles(transcribeRecording)
  transcribe(wish: z.output<typeof transcribeRecording.request>, call: Call): Promise<z.input<typeof transcribeRecording.reply>> {
    return this.recordings.transcribe(organizationOf(call), wish, call.signal);
  }
}
