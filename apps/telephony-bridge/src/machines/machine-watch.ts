import { loudnessOf } from '@parley/audio';
import type { LineSignal } from '@parley/messaging';
import type { VoicemailPolicy } from '@parley/contracts';
import { soundsLikeVoicemail } from '@parley/voice-session';
import { setTimeout as delay } from 'node:timers/promises';
import { endings } from '../line/call-endings';
import { samplesOf } from '../line/line-audio';
import type { CallWitness, PhoneCall } from '../line/phone-call';
import { speakOn } from '../line/spoken-message';
import { BeepDetector } from './beep';

const listenMs = 25_000;
/** A mailbox without a beep records when it has been silent for so long. */
const silenceBeforeMessageMs = 2_500;
const beepWithinMs = 40_000;
const afterBeepMs = 300;

/**
 * Listens on a call that was placed whether a machine picked up, by its tone, by how long it speaks and by what it says. Until
 * that is known the agent talks as with anybody, so that a person does not wait.
 */
export class MachineWatch implements CallWitness {
  private beep: BeepDetector | undefined;
  private timing: GreetingTiming | undefined;
  private readonly startedAtMs = performance.now();
  private state: 'listening' | 'awaiting-beep' | 'leaving-message' | 'over' = 'listening';
  private awaitedSinceMs = 0;
  private hasTurned = false;

  constructor(
    private readonly call: PhoneCall,
    private readonly policy: VoicemailPolicy,
  ) {}

  heard(bytes: Uint8Array): boolean {
    const { line } = this.call;
    if (!line || this.state === 'over') return false;
    const samples = samplesOf(bytes, line.format);
    this.beep ??= new BeepDetector(line.format.sampleRate);
    this.timing ??= new GreetingTiming(line.format.sampleRate);
    const isBeep = this.beep.hear(samples);
    const isLong = this.timing.hear(samples);
    if (this.state === 'awaiting-beep') this.awaitBeep(isBeep);
    else if (this.state === 'listening') this.listen(isBeep, isLong);
    return this.state === 'awaiting-beep' || this.state === 'leaving-message';
  }

  said(signal: LineSignal): void {
    if (this.state !== 'listening' || (signal.type !== 'transcript.final' && signal.type !== 'transcript.partial')) return;
    const sinceOpenedMs = performance.now() - this.startedAtMs;
    const { language = 'english' } = this.call.call.wishes;
    // Only the first words are a greeting; later ones belong to a conversation.
    if (!this.hasTurned && soundsLikeVoicemail({ text: signal.text, language, sinceOpenedMs })) this.met(false);
    this.hasTurned ||= signal.type === 'transcript.final' && signal.text.trim() !== '';
  }

  over(): void {
    this.state = 'over';
  }

  /** The carrier's own word, where it has one. */
  met(isAfterBeep: boolean): void {
    if (this.state !== 'listening' && !(this.state === 'awaiting-beep' && isAfterBeep)) return;
    if (this.policy.action === 'HANG_UP') {
      this.state = 'over';
      return this.call.finish(endings.machine);
    }
    this.call.speech.signal({ type: 'line.hold' });
    this.call.line?.media.clear();
    this.awaitedSinceMs = performance.now();
    this.state = 'awaiting-beep';
    if (isAfterBeep) void this.leaveMessage();
  }

  private listen(isBeep: boolean, isLong: boolean): void {
    if (performance.now() - this.startedAtMs > listenMs) this.state = 'over';
    else if (isBeep) this.met(true);
    else if (isLong) this.met(false);
  }

  private awaitBeep(isBeep: boolean): void {
    const waitedMs = performance.now() - this.awaitedSinceMs;
    const isSilent = (this.timing?.silentAfterSpeechMs ?? 0) >= silenceBeforeMessageMs;
    if (isBeep || isSilent || waitedMs > beepWithinMs) void this.leaveMessage();
  }

  private async leaveMessage(): Promise<void> {
    const { line, call, meter } = this.call;
    if (!line || this.state !== 'awaiting-beep') return;
    this.state = 'leaving-message';
    try {
      await delay(afterBeepMs);
      const around = { bus: this.call.parts.bus, identity: call, meter };
      const ms = await speakOn(line, { text: this.policy.message, language: call.wishes.language ?? 'english' }, around);
      await delay(ms);
      this.call.finish(endings.messageLeft);
    } catch (error) {
      this.call.parts.log.warn('A message could not be left on a machine', { requestId: call.keyId, error });
      this.call.finish(endings.machine);
    }
  }
}

const loudMin = 0.015;
const pauseMs = 600;
/** Nobody who picks up speaks so long before they wait for an answer. */
const machineSpeechMs = 5_000;

/** Tells by the length of the first words whether a machine speaks them. */
export class GreetingTiming {
  private speechMs = 0;
  private silentMs = 0;
  private isSettled = false;

  constructor(private readonly sampleRate: number) {}

  /** How long it has been silent after having spoken; 0 before and while it speaks. */
  get silentAfterSpeechMs(): number {
    return this.speechMs > 0 ? this.silentMs : 0;
  }

  /** Whether what was heard so far is longer than any person's hello. It is told once. */
  hear(samples: Int16Array): boolean {
    const ms = (samples.length * 1000) / this.sampleRate;
    if (loudnessOf(samples) >= loudMin) {
      // A pause ends a hello: what comes after it is a conversation.
      if (this.silentMs >= pauseMs && this.speechMs > 0) this.isSettled = true;
      this.speechMs += ms + (this.speechMs > 0 ? this.silentMs : 0);
      this.silentMs = 0;
    } else {
      this.silentMs += ms;
    }
    if (this.isSettled || this.speechMs < machineSpeechMs) return false;
    this.isSettled = true;
    return true;
  }
}
