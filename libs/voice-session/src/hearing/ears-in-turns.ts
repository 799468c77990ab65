import type { SpokenLanguage } from '@parley/ports';
import type { Clock } from '../call/surroundings';
import type { Ears, HeardEvent, OpenEars, EndOfTurnJudge } from './heard';

interface TurnsOptions {
  readonly judge: EndOfTurnJudge;
  readonly clock: Clock;
  readonly sampleRate: number;
  readonly language: SpokenLanguage;
  readonly endOfTurn: { readonly silenceMs: number; readonly dictationSilenceMs: number };
}

/** Ears for a line on which nobody answers, such as dictation: they end each turn by themselves once the speaker seems done. */
export function earsInTurns(open: OpenEars, options: TurnsOptions): OpenEars {
  return async (listener) => {
    const turns = new Turns(options, listener);
    turns.ears = await open((event) => turns.notice(event));
    return turns;
  };
}

class Turns implements Ears {
  ears: Ears | undefined;
  private heardMs = 0;
  private finals: string[] = [];
  private guess = '';
  private voiceEndMs: number | undefined;
  private hasAsked = false;
  private forgetAlarm: (() => void) | undefined;

  constructor(
    private readonly options: TurnsOptions,
    private readonly listener: (event: HeardEvent) => void,
  ) {}

  hear(samples: Int16Array): void {
    this.heardMs += (samples.length * 1000) / this.options.sampleRate;
    this.ears?.hear(samples);
  }

  noticeOwnVoice(samples: Int16Array): void {
    this.ears?.noticeOwnVoice(samples);
  }

  finishTurn(): void {
    this.forgetAlarm?.();
    this.hasAsked = true;
    this.ears?.finishTurn();
  }

  guessNow(): void {
    this.ears?.guessNow();
  }

  judgeEnd(): void {
    this.ears?.judgeEnd();
  }

  close(): void {
    this.forgetAlarm?.();
    this.ears?.close();
  }

  /** What the ears below tell, on its way to the listener. */
  notice(event: HeardEvent): void {
    if (event.kind === 'speech-started') this.goOn();
    if (event.kind === 'speech-stopped') this.pause(event.atMs);
    if (event.kind === 'partial') this.write(event.text, this.finals);
    if (event.kind === 'final') this.write('', [...this.finals, event.text]);
    this.listener(event);
  }

  private goOn(): void {
    this.forgetAlarm?.();
    this.voiceEndMs = undefined;
  }

  private pause(atMs: number): void {
    this.voiceEndMs = atMs;
    this.hasAsked = false;
    this.wait();
  }

  private write(guess: string, finals: string[]): void {
    this.guess = guess;
    this.finals = this.hasAsked ? [] : finals;
    if (this.voiceEndMs !== undefined && !this.hasAsked) this.wait();
  }

  /** Sets the end of the turn anew by all that is known now. */
  private wait(): void {
    const { clock, judge, language, endOfTurn } = this.options;
    const text = [...this.finals, this.guess].join(' ').trim();
    const { waitMs } = judge.judge({ text, isFinal: this.guess === '', language, usualPauseMs: undefined, ...endOfTurn });
    const silentMs = this.heardMs - (this.voiceEndMs ?? this.heardMs);
    this.forgetAlarm?.();
    this.forgetAlarm = clock.wakeAt(clock.now() + Math.max(0, waitMs - silentMs), () => this.finishTurn());
  }
}
