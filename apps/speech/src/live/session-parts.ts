import { Injectable } from '@nestjs/common';
import { withPlaceholders } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import {
  DigitCollector, isBackchannel, realClock, ruleJudge, type SessionSettings, sessionSettingsOf, soundsLikeVoicemail,
  VoiceCall,
} from '@parley/voice-session';
import { ChannelLine } from './channel-line';
import { ConversationMind } from './conversation-mind';
import { EngineMouth } from './engine-mouth';
import type { LineCall } from './line-call';
import { LineHearing } from './line-hearing';
import { LiveFigures } from './live-figures';
import type { LiveOpening, VoiceChannel } from './live-session';
import type { SessionUsage } from './session-usage';

interface LineParts {
  readonly mind: ConversationMind;
  readonly usage: SessionUsage;
  readonly line: VoiceChannel;
}

/** What live sessions are made of in this service. */
@Injectable()
export class SessionParts {
  constructor(
    readonly bus: ServiceBus,
    readonly figures: LiveFigures,
    readonly log: Logger,
    private readonly hearing: LineHearing,
  ) {}

  mind({ opening, agent, sessionUUID }: LiveOpening, line: LineCall, usage: SessionUsage): ConversationMind {
    const { channel, language, variables } = opening;
    const { AgentKeyID } = agent;
    return new ConversationMind({ sessionUUID, AgentKeyID, channel, language, variables }, { bus: this.bus, figures: this.figures, line, usage });
  }

  talk(about: LiveOpening, { mind, usage, line }: LineParts): VoiceCall {
    const { opening, agent, engines } = about;
    const settings = settingsOf(about);
    const { VoiceID, FallbackVoiceIDs, VoiceSpeed: pace } = agent.RuntimeConfiguration;
    const voiceIds = VoiceID === null ? FallbackVoiceIDs : [VoiceID, ...FallbackVoiceIDs];
    const voice = { voiceIds, pace, language: settings.language, sampleRate: opening.sampleRate };
    return VoiceCall.open(settings, {
      clock: realClock,
      mind,
      mouth: new EngineMouth(engines, voice, usage),
      line: new ChannelLine(line, opening.encoding),
      openEars: this.hearing.earsFor({ about, language: settings.language, engines }),
      openKeypad: (entered) => new DigitCollector(realClock, ({ digits }) => entered(digits)),
      rules: { judge: ruleJudge, isBackchannel, isVoicemail: soundsLikeVoicemail },
    });
  }
}

function settingsOf({ opening, agent, isNew, sessionUUID }: LiveOpening): SessionSettings {
  const { language = agent.language, sampleRate, variables = {} } = opening;
  // Whoever comes back to a conversation has been greeted.
  const greeting = isNew ? withPlaceholders(agent.Greeting, variables) : '';
  return sessionSettingsOf(agent.RuntimeConfiguration, { sessionUUID, sampleRate, language, greeting });
}
