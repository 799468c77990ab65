import { encodeSamples, muLaw, samplesFromBytes } from '@parley/audio';
import type { AgentRuntime, openVoiceSession, ServerFrame } from '@parley/contracts';
import type { Channel } from '@parley/messaging';
import type { Line } from '@parley/voice-session';
import type { z } from 'zod';
import type { SpeechEngines } from '../engines/speech-engines';

/** What the two ends of a voice line tell each other beside sound. */
export type VoiceSignal = z.output<typeof openVoiceSession.signal>;
export type VoiceChannel = Channel<VoiceSignal>;

/** What is known of a line when it is accepted. */
export interface LiveOpening {
  readonly opening: z.output<typeof openVoiceSession.opening>;
  readonly agent: AgentRuntime;
  /** Those that the caller's organization may use. */
  readonly engines: SpeechEngines;
  readonly sessionUUID: string;
  /** Nothing was asked in it yet; a resumed one is not greeted again. */
  readonly isNew: boolean;
}

export type LineEncoding = 'pcm16' | 'mulaw';

interface LineShape {
  readonly encoding: LineEncoding;
  /** Whether the opener of the line can transfer the caller. */
  readonly canTransfer: boolean;
}

/** The caller's end of a voice line, as a channel over the bus. */
export class ChannelLine implements Line {
  // A socket says itself how far it has played; nothing comes back for a mark.
  readonly hasMarks = false;

  constructor(
    private readonly channel: Pick<VoiceChannel, 'send' | 'signal'>,
    private readonly shape: LineShape,
    private readonly onPlay: (samples: number) => void,
  ) {}

  play(samples: Int16Array): void {
    this.onPlay(samples.length);
    this.channel.send(encodeSamples(samples, this.shape.encoding));
  }

  /** Nothing to do: the accompanying `agent.interrupted` frame tells the client to drop its buffer. */
  clear(): void {}

  mark(): void {}

  /** The last word waits for the session, which has something to tell before it. */
  tell(frame: ServerFrame): void {
    if (frame.type !== 'session.ended') this.channel.signal(frame);
  }

  transfer(to: string): void {
    if (this.shape.canTransfer) return this.channel.signal({ type: 'line.transfer', to });
    this.tell({ type: 'warning', code: 'TRANSFER_NOT_POSSIBLE', message: `This line cannot be connected with ${to}.` });
  }

  /** Nothing: the session closes the channel once it has reported its usage. */
  end(): void {}
}

/** Samples of a frame from the caller. */
export function samplesOf(frame: Uint8Array, encoding: LineEncoding): Int16Array {
  return encoding === 'mulaw' ? muLaw.decode(frame) : samplesFromBytes(frame);
}
