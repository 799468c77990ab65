import { Controller } from '@nestjs/common';
import { type AudioItem, previewVoice, synthesizeSpeech } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { Speaking } from './speaking.service';

@Controller()
export class SpeakingController {
  constructor(private readonly speaking: Speaking) {}

  @Handles(synthesizeSpeech)
  synthesize(wish: z.output<typeof synthesizeSpeech.request>, call: Call): AsyncIterable<AudioItem> {
    return this.speaking.synthesize(organizationOf(call), wish, call.signal);
  }

  @Handles(previewVoice)
  preview(choice: z.output<typeof previewVoice.request>, call: Call): AsyncIterable<AudioItem> {
    return this.speaking.preview(organizationOf(call), choice, call.signal);
  }
}
