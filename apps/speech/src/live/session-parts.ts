import { Injectable } from '@nestjs/common';
import { SilenceTrimmer } from '@parley/audio';
import { charactersOf, Fault, type SpeechLanguage, withPlaceholders } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { ProviderFailure, type SpeechBlock, type TimedWord } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import {
  DigitCollector,
  isBackchannel,
  type Synthesizer,
  type OpenRecognition,
  realClock,
  ruleJudge,
  type SessionSettings,
  sessionSettingsOf,
  soundsLikeVoicemail,
  VoiceCall,
} from '@parley/voice-session';
import type { Speaker, SpeechEngines } from '../engines/speech-engines';
import { atRate } from '../speaking/speaking.service';
import { ChannelLine, LineHearing, type LiveOpening, type VoiceChannel } from './line';
import { ConversationAnswerGenerator, type LineCall } from './conversation-answer-generator';
import { LiveMetrics } from '../metrics';
import type { HeardSound, SessionUsage } from './session-usage';

/** The pause between sentences, made uniform since engines leave anything from none to a quarter of a second. */
const sentencePauseMs = 130;

/** The voices of an agent on one line. */
interface LineVoice {
  /** The agent's own first, then the fallbacks. */
  readonly voiceIds: readonly number[];
  readonly pace: number;
  readonly language: SpeechLanguage;
  readonly sampleRate: number;
}

interface LineParts {
  readonly generator: ConversationAnswerGenerator;
  readonly usage: SessionUsage;
  readonly line: VoiceChannel;
}

/** How many lines one process holds at a time. */
export class LineLimit {
  constructor(readonly linesMax: number) {}
}

/** Creates the parts of a live session. */
@Injectable()
export class SessionParts {
  constructor(
    readonly bus: ServiceBus,
    readonly metrics: LiveMetrics,
    readonly log: Logger,
    readonly limit: LineLimit,
    private readonly hearing: LineHearing,
  ) {}

  generator({ opening, agent, sessionUUID }: LiveOpening, line: LineCall, usage: SessionUsage): ConversationAnswerGenerator {
    const { channel, language, variables, turnsPaidBy } = opening;
    const { AgentKeyID } = agent;
    return new ConversationAnswerGenerator(
      { sessionUUID, AgentKeyID, channel, language, variables, turnsPaidBy },
      { bus: this.bus, metrics: this.metrics, line, usage },
    );
  }

  /** Refuses a line for which no engine here is available. */
  check(about: LiveOpening): void {
    const { opening, agent, engines } = about;
    this.hearing.check({ about, language: opening.language ?? agent.language, engines });
  }

  talk(about: LiveOpening, { generator, usage, line }: LineParts): VoiceCall {
    const { opening, agent, engines } = about;
    const settings = settingsOf(about);
    const { VoiceID, FallbackVoiceIDs, VoiceSpeed: pace } = agent.RuntimeConfiguration;
    const voiceIds = VoiceID === null ? FallbackVoiceIDs : [VoiceID, ...FallbackVoiceIDs];
    const voice = { voiceIds, pace, language: settings.language, sampleRate: opening.sampleRate };
    return VoiceCall.open(settings, {
      clock: realClock,
      generator,
      synthesizer: new EngineSynthesizer(engines, voice, { usage, generator }),
      line: new ChannelLine(line, opening, (samples) => usage.spoken(samples)),
      openRecognition: countedBy(
        usage.caller,
        this.hearing.recognitionFor({
          ...{ about, language: settings.language, engines },
          onFailure: (failure) => generator.noteFailure('SPEECH_TO_TEXT', failure),
        }),
      ),
      openKeypad: (entered) => new DigitCollector(realClock, ({ digits }) => entered(digits)),
      rules: { judge: ruleJudge, isBackchannel, isVoicemail: soundsLikeVoicemail },
    });
  }
}

/** The same recognition, whose events are also counted in the usage of the caller's sound. */
function countedBy(caller: HeardSound, open: OpenRecognition): OpenRecognition {
  return async (listener) => {
    try {
      return await open((event) => {
        caller.notice(event);
        listener(event);
      });
    } catch (error) {
      caller.noteUnavailable();
      throw error;
    }
  };
}

/** A caller on a telephone sees no warnings, so after this many untranscribed turns the agent says so and ends the call. */
const untranscribedTurnsMax = 3;

function settingsOf({ opening, agent, isNew, progress, sessionUUID }: LiveOpening): SessionSettings {
  const { language = agent.language, sampleRate, variables = {} } = opening;
  // A resumed conversation was greeted before.
  const greeting = isNew ? withPlaceholders(agent.Greeting, variables) : '';
  // The opener of a line that is lost knows the latest; the time of all lines is known to the conversation service.
  const { goesOn } = opening;
  return sessionSettingsOf(agent.RuntimeConfiguration, {
    sessionUUID,
    sampleRate,
    language,
    greeting,
    ...(goesOn && { isContinued: true }),
    before: { ...progress, ...goesOn, ...(progress && { elapsedMs: progress.elapsedMs }) },
    ...(opening.channel === 'PHONE' && { untranscribedTurnsMax }),
  });
}

/** Speaks with the engines of this installation, at the rate of the line. */
class EngineSynthesizer implements Synthesizer {
  /** One per language for the whole call, since the voice must not change even if another engine becomes the better choice. */
  private readonly speakers = new Map<SpeechLanguage, Speaker>();

  constructor(
    private readonly engines: SpeechEngines,
    private readonly voice: LineVoice,
    private readonly dependencies: Pick<LineParts, 'usage' | 'generator'>,
  ) {}

  async *speak({ text, language, isFirst, signal }: Parameters<Synthesizer['speak']>[0]): AsyncGenerator<SpeechBlock> {
    const { pace, sampleRate } = this.voice;
    const spoken = language ?? this.voice.language;
    // The agent's own voice if it speaks the language; otherwise another that does.
    const { engine, voice } = this.speakerOf(spoken);
    let isPaid = false;
    const onFailure = (failure: ProviderFailure) => this.dependencies.generator.noteFailure('TEXT_TO_SPEECH', failure);
    let unsaid = 0;
    const onUnsaid = (characters: number): void => void (unsaid = characters);
    const request = { text, language: spoken, voice, pace, sampleRate, signal, onFailure, onUnsaid };
    const sound = atRate(engine.speak(request), sampleRate);
    for await (const block of withoutSilence(sound, { sampleRate, pauseMs: isFirst ? 0 : sentencePauseMs })) {
      // A sentence is charged once it sounds; one cancelled before costs nothing.
      if (!isPaid) this.dependencies.usage.characters(charactersOf(text) - unsaid);
      isPaid = true;
      yield block;
    }
    if (unsaid === 0) return;
    onFailure(new ProviderFailure('none', 'no voice says this script', { retryable: true }));
    // What was said of the sentence would be lost by a failure, and is worth hearing.
    if (!isPaid) throw new Fault('SPEECH_PROVIDER_UNAVAILABLE', { message: 'No voice here says the script of this sentence.' });
  }

  private speakerOf(language: SpeechLanguage): Speaker {
    const known = this.speakers.get(language);
    if (known) return known;
    const speaker = this.engines.callSpeakerOf(language, this.voice.voiceIds);
    this.speakers.set(language, speaker);
    return speaker;
  }
}

/** How much of an engine's silence is kept at either end of a sentence. */
const keptMs = 20;

interface Shape {
  readonly sampleRate: number;
  /** Silence at the beginning. */
  readonly pauseMs: number;
}

/** Replaces the engine's silence around a sentence by a pause of known length, and shifts the times of its words. */
export async function* withoutSilence(
  blocks: AsyncIterable<SpeechBlock>,
  { sampleRate, pauseMs }: Shape,
): AsyncGenerator<SpeechBlock> {
  const trimmer = new SilenceTrimmer(sampleRate, keptMs);
  let pause = new Int16Array((sampleRate * pauseMs) / 1000);
  let words: TimedWord[] = [];
  for await (const block of blocks) {
    words.push(...(block.words ?? []));
    for (const samples of trimmer.push(block.samples)) {
      if (pause.length > 0) yield { samples: pause, sampleRate };
      pause = new Int16Array(0);
      const shiftMs = pauseMs - trimmer.trimmedMs;
      yield { samples, sampleRate, ...(words.length > 0 && { words: words.map((word) => shifted(word, shiftMs)) }) };
      words = [];
    }
  }
  for (const samples of trimmer.flush()) yield { samples, sampleRate };
}

function shifted({ text, startMs, endMs }: TimedWord, byMs: number): TimedWord {
  return { text, startMs: Math.max(0, startMs + byMs), endMs: Math.max(0, endMs + byMs) };
}
