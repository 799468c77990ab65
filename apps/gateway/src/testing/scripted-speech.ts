import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import {
  Fault,
  type openTranscription,
  openTranscription as transcription,
  type openVoiceSession,
  openVoiceSession as voiceSession,
} from '@parley/contracts';
import { type AcceptedChannel, type Call, type Channel, Handles } from '@parley/messaging';
import type { z } from 'zod';

type Signal = z.output<(typeof openVoiceSession)['signal']>;
type Opening = z.output<(typeof openVoiceSession)['opening']>;
type Line = AcceptedChannel<z.input<(typeof openVoiceSession)['accepted']>, Signal>;
type Listening = z.output<(typeof openTranscription)['opening']>;

/** One channel held by a replica of the scripted speech service. */
interface ScriptedLine {
  readonly replica: string;
  readonly opening: Opening | Listening;
  readonly call: Call;
  readonly channel: Channel<Signal>;
  readonly heard: Signal[];
  readonly sounds: Uint8Array[];
}

/** The scripted behaviour of the speech service, over all its replicas. */
export class SpeechScript {
  lines: ScriptedLine[] = [];
  /** Whether clients' input is recorded. */
  keepsHeard = true;
  private readonly closed = new Set<ScriptedLine>();
  /** Throws to refuse an opening. */
  admit: (replica: string, opening: Opening | Listening) => void = () => undefined;
  /** Delays an opening until it resolves. */
  delay: () => Promise<void> = async () => undefined;
  /** What it sends as soon as a channel is open; by default nothing. */
  greet: (line: ScriptedLine) => void = () => undefined;
  /** Handles a client's input; by default texts are answered, sound is echoed, and an end closes the channel. */
  hear: (line: ScriptedLine, item: { frame: Uint8Array } | { signal: Signal }) => void = answerSimply;

  /** The most recently opened channel. */
  get last(): ScriptedLine {
    const line = this.lines.at(-1);
    if (!line) throw new Error('no line was opened');
    return line;
  }

  take(line: ScriptedLine): void {
    this.lines.push(line);
    this.greet(line);
    void line.channel.closed.then(() => this.closed.add(line));
  }

  /** Drops closed channels. */
  forgetClosed(): void {
    this.lines = this.lines.filter((line) => !this.closed.has(line));
    this.closed.clear();
  }

  reset(): void {
    this.lines = [];
    this.admit = () => undefined;
    this.delay = async () => undefined;
    this.greet = () => undefined;
    this.hear = answerSimply;
  }
}

export const latency = {
  endOfTurnMs: 1,
  transcriptionMs: 1,
  retrievalMs: 1,
  firstTokenMs: 1,
  firstAudioMs: 1,
  pacingMs: 1,
  totalMs: 6,
};
export const usage = { promptTokens: 8, completionTokens: 2, totalTokens: 10 };

/** The speech service, without engines. Each replica has the script and its own name. */
@Controller()
export class ScriptedSpeech {
  constructor(
    @Inject(SpeechScript) private readonly script: SpeechScript,
    @Inject('REPLICA') private readonly replica: string,
  ) {}

  @Handles(voiceSession)
  async voice(opening: Opening, call: Call): Promise<Line> {
    this.script.admit(this.replica, opening);
    await this.script.delay();
    if (!opening.sessionUUID) throw new Fault('INTERNAL', { cause: new Error('the door names the session') });
    const { sessionUUID, sampleRate, encoding } = opening;
    return { accepted: { sessionUUID, sampleRate, encoding }, serve: (channel) => this.serve({ opening, call, channel }) };
  }

  @Handles(transcription)
  async listen(opening: Listening, call: Call): Promise<Line> {
    this.script.admit(this.replica, opening);
    const { sampleRate, encoding } = opening;
    const accepted = { sessionUUID: randomUUID(), sampleRate, encoding };
    return { accepted, serve: (channel) => this.serve({ opening, call, channel }) };
  }

  private async serve(part: Pick<ScriptedLine, 'opening' | 'call' | 'channel'>): Promise<void> {
    const line: ScriptedLine = { replica: this.replica, heard: [], sounds: [], ...part };
    this.script.take(line);
    for await (const item of part.channel.incoming) {
      if (!this.script.keepsHeard) this.script.hear(line, item);
      else if ('frame' in item) line.sounds.push(item.frame);
      else line.heard.push(item.signal);
      if (this.script.keepsHeard) this.script.hear(line, item);
    }
  }
}

function answerSimply({ channel }: ScriptedLine, item: { frame: Uint8Array } | { signal: Signal }): void {
  if ('frame' in item) return channel.send(item.frame);
  const { signal } = item;
  if (signal.type === 'text') {
    channel.signal({ type: 'agent.delta', text: `You said ${signal.text}` });
    channel.signal({ type: 'agent.done', turnUUID: randomUUID(), text: `You said ${signal.text}`, usage, latency });
  } else if (signal.type === 'caller.left') {
    channel.close('the caller left');
  } else if (signal.type === 'session.end' || signal.type === 'credits.exhausted') {
    const reason = signal.type === 'session.end' ? 'ENDED_BY_USER' : 'CREDITS_EXHAUSTED';
    channel.signal({ type: 'session.ended', reason });
    channel.close(reason);
  }
}
