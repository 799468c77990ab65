import { Controller } from '@nestjs/common';
import { endSession, getHistory, openSession } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { SessionEnding } from './session-ending';
import { SessionLookup } from './session-lookup';
import { SessionOpening } from './session-opening';

/** Sessions over the bus. */
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: SessionLookup,
    private readonly opening: SessionOpening,
    private readonly ending: SessionEnding,
  ) {}

  @Handles(openSession)
  open(body: BodyOf<typeof openSession>, call: Call): Promise<ReplyOf<typeof openSession>> {
    return this.opening.open(body, call);
  }

  @Handles(endSession)
  async end({ sessionUUID, reason, recordingKey }: BodyOf<typeof endSession>, call: Call): Promise<ReplyOf<typeof endSession>> {
    const { id: sessionId } = await this.sessions.visible(sessionUUID, call);
    await this.ending.end(organizationOf(call), { sessionId, reason, recordingKey });
    return { sessionUUID };
  }

  @Handles(getHistory)
  history({ sessionUUID }: BodyOf<typeof getHistory>, call: Call): Promise<ReplyOf<typeof getHistory>> {
    return this.sessions.history(sessionUUID, call);
  }
}
