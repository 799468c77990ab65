import { Controller, Injectable } from '@nestjs/common';
import { endSession, Fault, isTelephoneCall, openSession, openVoiceSession, readAgentRuntime } from '@parley/contracts';
import { type AcceptedLine, type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { LiveFigures } from './live-figures';
import type { LiveOpening, VoiceChannel, VoiceSignal } from './channel-line';
import { LiveSession } from './live-session';
import { LineCall } from './conversation-answer-generator';
import { SessionParts } from './session-parts';

type VoiceSessionOpening = z.output<typeof openVoiceSession.opening>;
type VoiceSessionAccepted = z.output<typeof openVoiceSession.accepted>;

const retryAfterSeconds = 2;

/** The live conversations of this process. */
@Injectable()
export class LiveSessions {
  private readonly sessions = new Set<LiveSession>();
  /** Lines that are held or being opened. */
  private places = 0;

  constructor(
    private readonly bus: ServiceBus,
    private readonly engines: OrganizationEngines,
    private readonly parts: SessionParts,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    figures: LiveFigures,
  ) {
    figures.holds(() => this.places);
    lifetime.draining.addEventListener('abort', () => this.sessions.forEach((session) => session.drain()), { once: true });
  }

  get count(): number {
    return this.sessions.size;
  }

  async open(opening: VoiceSessionOpening, call: Call): Promise<AcceptedLine<VoiceSessionAccepted, VoiceSignal>> {
    const leave = this.takePlace();
    try {
      const about = await this.prepare(opening, call);
      const { sessionUUID } = about;
      const { sampleRate, encoding } = opening;
      const serve = (line: VoiceChannel): Promise<void> => {
        call.signal.removeEventListener('abort', leave);
        return this.hold(line, (held) => new LiveSession(about, this.parts, new LineCall(call), held)).finally(leave);
      };
      // A caller that has given up will not be served, so its place is free again.
      call.signal.addEventListener('abort', leave, { once: true });
      if (call.signal.aborted) leave();
      return { accepted: { sessionUUID, sampleRate, encoding }, serve };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A burst of openings cannot exceed the limit: each takes its place before any request is made. */
  private takePlace(): () => void {
    if (this.places >= this.parts.limit.linesMax || this.lifetime.draining.aborted)
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'This replica accepts no more lines.', retryAfterSeconds });
    this.places += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.places -= 1;
      isTaken = false;
    };
  }

  private async prepare(opening: VoiceSessionOpening, call: Call): Promise<LiveOpening> {
    const { AgentKeyID, sessionUUID, channel, language, variables } = opening;
    const opened = await this.bus.ask(openSession, { AgentKeyID, sessionUUID, channel, language, variables });
    try {
      const mayBeDeleted = isTelephoneCall(call.principal);
      const agent = await this.bus.ask(readAgentRuntime, { AgentKeyID: opened.AgentKeyID, mayBeDeleted });
      const engines = await this.engines.of(organizationOf(call));
      const about = { opening, agent, engines, isNew: opened.isNew, sessionUUID: opened.sessionUUID };
      this.parts.check(about);
      return about;
    } catch (refusal) {
      if (opened.isNew) await this.endRefused(opened.sessionUUID);
      throw refusal;
    }
  }

  /** Ends a conversation created for a line that was then refused. */
  private async endRefused(sessionUUID: string): Promise<void> {
    await this.bus.ask(endSession, { sessionUUID, reason: 'FAILED' }).catch((err: unknown) => {
      this.log.warn('The session of a refused line stays open until it is swept', { err, sessionUUID });
    });
  }

  private async hold(line: VoiceChannel, begin: (line: VoiceChannel) => LiveSession): Promise<void> {
    const session = begin(line);
    this.sessions.add(session);
    try {
      await session.run();
    } catch (error) {
      this.log.error('A live session failed', { err: error });
      throw error;
    } finally {
      this.sessions.delete(session);
    }
  }
}

/** Live conversations over the bus. */
@Controller()
export class LiveController {
  constructor(private readonly sessions: LiveSessions) {}

  @Handles(openVoiceSession)
  open(opening: z.output<typeof openVoiceSession.opening>, call: Call): ReturnType<LiveSessions['open']> {
    return this.sessions.open(opening, call);
  }
}
