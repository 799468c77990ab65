import { Controller } from '@nestjs/common';
import { openVoiceSession } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { LiveSessions } from './live-sessions';

/** Live conversations over the bus. */
@Controller()
export class LiveController {
  constructor(private readonly sessions: LiveSessions) {}

  @Handles(openVoiceSession)
  open(opening: z.output<typeof openVoiceSession.opening>, call: Call): ReturnType<LiveSessions['open']> {
    return this.sessions.open(opening, call);
  }
}
