import { Controller } from '@nestjs/common';
import { getHistory } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { SessionLookup } from './session-lookup';

/** Sessions over the bus. */
@Controller()
export class SessionsController {
  constructor(private readonly sessions: SessionLookup) {}

  @Handles(getHistory)
  history({ sessionUUID }: BodyOf<typeof getHistory>, call: Call): Promise<ReplyOf<typeof getHistory>> {
    return this.sessions.history(sessionUUID, call);
  }
}
