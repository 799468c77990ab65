import { Controller } from '@nestjs/common';
import { openTranscription } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { Transcribing } from './transcribing.service';

type Open = HandlerOf<typeof openTranscription>;

/** Live lines over the bus. */
@Controller()
export class TranscribingController {
  constructor(private readonly transcribing: Transcribing) {}

  @Handles(openTranscription)
  open(opening: Parameters<Open>[0], call: Call): ReturnType<Open> {
    return this.transcribing.open(opening, call);
  }
}
