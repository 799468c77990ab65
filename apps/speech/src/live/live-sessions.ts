import { Injectable } from '@nestjs/common';
import { Fault, openSession, type openVoiceSession, readAgentRuntime } from '@parley/contracts';
import { type AcceptedLine, type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { LineCall } from './line-call';
import { LiveSession, type VoiceChannel, type VoiceSignal } from './live-session';
import { SessionParts } from './session-parts';

type Opening = z.output<typeof openVoiceSession.opening>;
type Accepted = z.output<typeof openVoiceSession.accepted>;

/** Lines that one process holds at a time; another replica takes the next one. */
const linesMax = 200;
const retryAfterSeconds = 2;

/** The live conversations of this process. */
@Injectable()
export class LiveSessions {
  private readonly sessions = new Set<LiveSession>();

  constructor(
    private readonly bus: ServiceBus,
    private readonly engines: OrganizationEngines,
    private readonly parts: SessionParts,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
  ) {
    lifetime.draining.addEventListener('abort', () => this.sessions.forEach((session) => session.drain()), { once: true });
  }

  get count(): number {
    return this.sessions.size;
  }

  async open(opening: Opening, call: Call): Promise<AcceptedLine<Accepted, VoiceSignal>> {
    if (this.sessions.size >= linesMax || this.lifetime.draining.aborted)
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'This replica takes no more lines.', retryAfterSeconds });
    const { AgentKeyID, sessionUUID, channel, language, variables, sampleRate, encoding } = opening;
    const opened = await this.bus.ask(openSession, { AgentKeyID, sessionUUID, channel, language, variables });
    const agent = await this.bus.ask(readAgentRuntime, { AgentKeyID: opened.AgentKeyID });
    const accepted = { sessionUUID: opened.sessionUUID, sampleRate, encoding };
    const engines = await this.engines.of(organizationOf(call));
    const about = { opening, agent, engines, isNew: opened.isNew, sessionUUID: opened.sessionUUID };
    return { accepted, serve: (line) => this.hold(line, (held) => new LiveSession(about, this.parts, new LineCall(call), held)) };
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
