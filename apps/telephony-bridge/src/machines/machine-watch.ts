import { setTimeout as delay } from 'node:timers/promises';
import { loudnessOf } from '@parley/audio';
import type { VoicemailPolicy } from '@parley/contracts';
import type { LineSignal } from '@parley/messaging';
import { soundsLikeVoicemail } from '@parley/voice-session';
import { endings } from '../calls/call-steps';
import type { CallObserver, PhoneCall } from '../line/phone-call';
import { samplesOf, speakOn } from '../line/spoken-message';

const listenMs = 25_000;
/** A mailbox without a beep is taken to record after this much silence. */
const silenceBeforeMessageMs = 2_500;
const beepWithinMs = 40_000;
const afterBeepMs = 300;

/**
 * Detects whether a machine picked up a placed call, by a beep, by how long it speaks and by what it says. Until then the agent talks
 * normally, so that a person does not have to wait.
 */
export class MachineWatch implements CallObserver {
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

  signalled(signal: LineSignal): void {
    if (this.state !== 'listening' || (signal.type !== 'transcript.final' && signal.type !== 'transcript.partial')) return;
    // Only the first words can be a greeting.
    if (!this.hasTurned && soundsLikeVoicemail(signal)) this.met(false);
    this.hasTurned ||= signal.type === 'transcript.final' && signal.text.trim() !== '';
  }

  over(): void {
    this.state = 'over';
  }

  /** A machine was detected, here or by the carrier. */
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
/** A person who picks up does not speak this long before waiting for a reply. */
const machineSpeechMs = 5_000;

/** Detects a machine by the length of its first utterance. */
export class GreetingTiming {
  private speechMs = 0;
  private silentMs = 0;
  private isSettled = false;

  constructor(private readonly sampleRate: number) {}

  /** The length of the silence since it last spoke; 0 before it speaks and while it does. */
  get silentAfterSpeechMs(): number {
    return this.speechMs > 0 ? this.silentMs : 0;
  }

  /** Whether the first utterance is longer than any person's greeting. Reported once. */
  hear(samples: Int16Array): boolean {
    const ms = (samples.length * 1000) / this.sampleRate;
    if (loudnessOf(samples) >= loudMin) {
      // A pause ends the greeting; what follows is a conversation.
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

const windowMs = 20;
const lowestHz = 400;
const highestHz = 2_100;
const stepHz = 50;
/** The share of a window's energy that one frequency must have; a voice spreads it over harmonics. */
const purityMin = 0.75;
const loudnessMin = 500;
const windowsMin = 7;

/** Detects the tone after which a mailbox records: one frequency, pure and steady for a seventh of a second. */
export class BeepDetector {
  private readonly size: number;
  private rest = new Int16Array();
  private lastHz = 0;
  private windows = 0;

  constructor(private readonly sampleRate: number) {
    this.size = (sampleRate * windowMs) / 1000;
  }

  /** Whether a tone has lasted long enough. Reported once. */
  hear(samples: Int16Array): boolean {
    const all = new Int16Array(this.rest.length + samples.length);
    all.set(this.rest);
    all.set(samples, this.rest.length);
    let isHeard = false;
    let at = 0;
    for (; at + this.size <= all.length; at += this.size) isHeard = this.look(all.subarray(at, at + this.size)) || isHeard;
    this.rest = all.slice(at);
    return isHeard;
  }

  private look(window: Int16Array): boolean {
    const hz = this.toneOf(window);
    const isSame = hz > 0 && Math.abs(hz - this.lastHz) <= stepHz;
    this.windows = hz === 0 ? 0 : isSame ? this.windows + 1 : 1;
    this.lastHz = hz;
    return this.windows === windowsMin;
  }

  /** The frequency with nearly all of the energy; 0 if there is none. */
  private toneOf(window: Int16Array): number {
    let energy = 0;
    for (const sample of window) energy += sample * sample;
    if (energy / window.length < loudnessMin * loudnessMin) return 0;
    let best = { hz: 0, power: 0 };
    for (let hz = lowestHz; hz <= highestHz; hz += stepHz) {
      const power = this.powerAt(window, hz);
      if (power > best.power) best = { hz, power };
    }
    // For a pure tone, twice the power equals the energy times the window's length.
    return (2 * best.power) / (energy * window.length) >= purityMin ? best.hz : 0;
  }

  /** Goertzel's algorithm: the power of one frequency in a window. */
  private powerAt(window: Int16Array, hz: number): number {
    const factor = 2 * Math.cos((2 * Math.PI * hz) / this.sampleRate);
    let [before, last] = [0, 0];
    for (const sample of window) [before, last] = [last, sample + factor * last - before];
    return before * before + last * last - factor * before * last;
  }
}
