import { FrameCutter, frameSamplesOf, loudnessOf } from '@parley/audio';

/** Tells voice from silence, frame by frame. Each line has one of its own. */
export interface VoiceDetector {
  /** Samples in the frames that it wants. */
  readonly frameSamples: number;
  /** Whether this frame sounds like a voice. */
  isVoice(frame: Int16Array): boolean;
}

const loudnessMin = 0.006;
const aboveNoise = 3;
const noiseFall = 0.2;
const noiseRise = 0.05;
// A third of what lasts is believed after eight seconds: longer than any vowel.
const noiseRiseInVoice = 0.001;

/** Takes for a voice whatever is well above the noise that lasts. Knows nothing of speech, but needs no model. */
export class EnergyDetector implements VoiceDetector {
  readonly frameSamples: number;
  private noise = 0;

  constructor(sampleRate: number) {
    this.frameSamples = frameSamplesOf(sampleRate);
  }

  isVoice(frame: Int16Array): boolean {
    const loudness = loudnessOf(frame);
    const isVoice = loudness > Math.max(loudnessMin, this.noise * aboveNoise);
    const rise = isVoice ? noiseRiseInVoice : noiseRise;
    this.noise += (loudness - this.noise) * (loudness < this.noise ? noiseFall : rise);
    return isVoice;
  }
}

/** A stretch of speech begins, goes on or ends; positions are samples since the start of the line. */
export interface Utterance {
  readonly kind: 'started' | 'ended';
  readonly atSample: number;
}

export interface EndpointingOptions {
  readonly sampleRate: number;
  /** A voice that lasts shorter is a click. */
  readonly voiceMsMin?: number;
  /** So long a silence ends what was being said. */
  readonly silenceMs?: number;
}

/** Finds where speech begins and ends in the sound of a line. */
export class Endpointing {
  isSpeaking = false;
  private readonly frames: FrameCutter;
  private readonly voiceMin: number;
  private readonly silenceMin: number;
  private position = 0;
  private voiced = 0;
  private silent = 0;

  constructor(
    private readonly detector: VoiceDetector,
    { sampleRate, voiceMsMin = 60, silenceMs = 600 }: EndpointingOptions,
  ) {
    this.frames = new FrameCutter(detector.frameSamples);
    this.voiceMin = (voiceMsMin * sampleRate) / 1000;
    this.silenceMin = (silenceMs * sampleRate) / 1000;
  }

  /** What this sound makes certain. */
  push(samples: Int16Array): Utterance[] {
    return this.frames.push(samples).flatMap((frame) => this.heed(frame) ?? []);
  }

  private heed(frame: Int16Array): Utterance | undefined {
    this.position += frame.length;
    const isVoice = this.detector.isVoice(frame);
    this.voiced = isVoice ? this.voiced + frame.length : 0;
    this.silent = isVoice ? 0 : this.silent + frame.length;
    if (!this.isSpeaking && this.voiced >= this.voiceMin) return this.turn('started', this.voiced);
    if (this.isSpeaking && this.silent >= this.silenceMin) return this.turn('ended', this.silent);
    return undefined;
  }

  private turn(kind: Utterance['kind'], ago: number): Utterance {
    this.isSpeaking = kind === 'started';
    return { kind, atSample: this.position - ago };
  }
}
