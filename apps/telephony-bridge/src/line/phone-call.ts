import { setTimeout as delay } from 'node:timers/promises';
import { type callStateChanged, openVoiceSession } from '@parley/contracts';
import { isTemporaryFailure } from '@parley/database';
import { type LineSignal, SpeechLine } from '@parley/messaging';
import { bytesOfMs, type CallMedia, type MediaEvent, type MediaFormat, type MediaStart, msOfBytes, within } from '@parley/ports';
import type { z } from 'zod';
import { dialogsOf, endAt, type OpenCarrier } from '../accounts/open-carriers';
import type { CallEntity, UsedCredits } from '../calls/call.entity';
import {
  brokenOffBy,
  type CallEnding,
  type CallStep,
  endingOfFailure,
  endingOfSession,
  endings,
  isOver,
  refusals,
  sessionEndOf,
} from '../calls/call-steps';
import type { HeldCall } from '../live/slots';
import { CallLatency, MediaWatch, PlaybackMarks } from './media-watch';
import { CallMeter } from './call-meter';
import { type CallParts, inCallOf } from './call-parts';
import { forCarrier, forSpeech, silenceOf, speechFormatOf } from './spoken-message';

type CallStateChanged = z.output<typeof callStateChanged.payload>;

export type KeyEvent = Extract<MediaEvent, { kind: 'digit' }>;

/** Something that follows a call: the detection of answering machines, or a transfer. */
export interface CallObserver {
  /** Sound of the other side. True if it is to be kept from the agent. */
  heard(bytes: Uint8Array): boolean;
  signalled(signal: LineSignal): void;
  /** A key pressed by the other side. True if it is to be kept from the agent. */
  pressed?(key: KeyEvent): boolean;
  over(): void;
  /** The carrier's id of a second line that was placed. */
  readonly placed?: string | undefined;
  /** The carrier returned the call. */
  cameBack?(why?: 'unanswered' | 'refused'): void;
}

const abandoned = {
  state: 'FAILED',
  outcome: 'FAILED',
  causeCode: refusals.abandoned,
  cause: 'It was answered while nobody was free to speak.',
} as const satisfies CallStep;
const notedWithinMs = 60_000;
const noteAgainMs = 500;
/** How long to wait for a carrier's report after it closed the media, in case it says that the caller hung up. */
const lastWordMs = 2_000;
/** Endings whose reason the carrier knows better. */
const saidByLine: ReadonlySet<string> = new Set([endings.hungUp.cause, endings.mediaLost.cause]);
const leadSilenceMax = 400;
/** The format assumed until a line reports its own. */
const widest: MediaFormat = { encoding: 'pcm16', sampleRate: 48_000 };

/** A call whose media is at this replica: connects the carrier to the speech service. */
export class PhoneCall implements HeldCall {
  readonly meter: CallMeter;
  readonly speech: SpeechLine;
  /** Resolves when the call is over, charged and recorded. */
  readonly finished: Promise<void>;
  private readonly latency = new CallLatency();
  private readonly observers = new Set<CallObserver>();
  private media: CallMedia | undefined;
  private lineFormat: MediaFormat | undefined;
  private watch: MediaWatch | undefined;
  private marks: PlaybackMarks | undefined;
  private ending: CallEnding | undefined;
  private awaitsMedia = false;
  private isMediaLost = false;
  private isTooFast = false;
  private isUnheard = false;
  private settleFinished: () => void = () => undefined;

  constructor(
    private record: CallEntity,
    readonly open: OpenCarrier,
    readonly parts: CallParts,
  ) {
    const { bus, log } = parts;
    this.meter = new CallMeter(bus, record, {
      log,
      onExhausted: () => this.speech.signal({ type: 'credits.exhausted' }),
      onLost: () => this.finish(endings.noMeter),
    });
    this.speech = new SpeechLine(
      {
        signal: (signal) => this.hearSpeech(signal),
        sound: (bytes) => this.play(bytes),
        moved: () => this.remark('MOVED'),
        over: (fault) => fault && this.finish(endings.noSpeech),
      },
      () => bytesOfMs(speechFormatOf(this.lineFormat ?? widest), 1_000),
    );
    this.finished = new Promise((resolve) => (this.settleFinished = resolve));
  }

  get callId(): number {
    return this.record.id;
  }

  get used(): UsedCredits {
    return this.meter.used;
  }

  get dialogs(): readonly string[] {
    const lines = [this.record.carrierCallId, ...[...this.observers].map((observer) => observer.placed)];
    return dialogsOf(
      this.open.carrier,
      lines.flatMap((callId) => (callId ? [{ callId }] : [])),
    );
  }

  get call(): CallEntity {
    return this.record;
  }

  get isFinished(): boolean {
    return this.ending !== undefined;
  }

  /** Whether media may connect: an open line cannot be taken over with another token of the same call. */
  get takesMedia(): boolean {
    return !this.isMediaLost && (this.media === undefined || this.media.isEnded || this.awaitsMedia);
  }

  /** The line to the other side and its audio format, while it is open. */
  get line(): { readonly media: CallMedia; readonly format: MediaFormat } | undefined {
    return this.media && this.lineFormat && { media: this.media, format: this.lineFormat };
  }

  /** Connects the call's media, possibly again after the carrier returned the call. */
  attach(answer: (hear: (event: MediaEvent) => void) => CallMedia): void {
    const early: MediaEvent[] = [];
    const isBack = this.media !== undefined;
    const line: { media?: CallMedia } = {};
    // Events that arrive while the media is being created are handled afterwards; those of earlier media are dropped.
    const hear = (event: MediaEvent): void => {
      if (!line.media) early.push(event);
      else if (line.media === this.media) this.hearCarrier(event, line.media);
    };
    const media = answer(hear);
    line.media = media;
    this.media = media;
    this.awaitsMedia = false;
    for (const event of early) this.hearCarrier(event, media);
    if (isBack) for (const observer of this.observers) observer.cameBack?.();
  }

  /** Adds an observer; returns a function that removes it. */
  observe(observer: CallObserver): () => void {
    this.observers.add(observer);
    return () => void this.observers.delete(observer);
  }

  /** Sends sound to the other side, in the format of the line. */
  send(bytes: Uint8Array): void {
    this.watch?.sent(bytes);
    this.media?.send(bytes);
  }

  /** The carrier takes over the call for a while: no sound is expected, and the end of the media does not end the call. */
  expectReturn(): void {
    this.awaitsMedia = true;
    this.watch?.pause();
  }

  /** The carrier returned the call, or never took it over. */
  noteReturned(): void {
    this.awaitsMedia = false;
    this.watch?.resume();
  }

  /** Ends the call for a reason. Later reasons have no effect. */
  finish(ending: CallEnding): void {
    if (this.ending) return;
    this.ending = ending;
    void this.conclude(ending).finally(() => this.settleFinished());
  }

  lost(): void {
    // The record was ended elsewhere, but what is known here is still added.
    this.finish({ state: 'FAILED', cause: 'The call was ended elsewhere.', isKnown: true });
  }

  changed({ state, cause, outcome }: CallStateChanged): void {
    if (!isOver(state)) return;
    const isGone = outcome === 'TRANSFERRED';
    if (isGone) this.speech.signal({ type: 'transfer.done' });
    const known = { cause: cause ?? 'The call was ended.', isKnown: true };
    this.finish({ ...known, state: state === 'FAILED' ? 'FAILED' : 'COMPLETED', ...(isGone && { isGone, outcome }) });
  }

  private hearCarrier(event: MediaEvent, media: CallMedia): void {
    switch (event.kind) {
      case 'started':
        return void this.begin(event.start, media);
      case 'audio':
        return this.hearSound(event);
      case 'digit':
        return this.hearKey(event);
      case 'mark':
        return this.marks?.came(event);
      case 'held':
        return event.isHeld ? this.watch?.pause() : this.watch?.resume();
      case 'warning':
        return this.parts.log.info('A carrier’s media is odd', { requestId: this.record.keyId, warning: event.message });
      case 'ended':
        return this.mediaEnded(event);
    }
  }

  private hearSound({ bytes, isFiller }: Extract<MediaEvent, { kind: 'audio' }>): void {
    if (this.watch?.heard(bytes, isFiller) === false) return this.tooFast();
    let isTaken = false;
    for (const observer of this.observers) isTaken = observer.heard(bytes) || isTaken;
    if (isTaken || !this.lineFormat) return;
    if (isFiller) this.meter.filled(msOfBytes(this.lineFormat, bytes.length));
    this.speech.sound(forSpeech(bytes, this.lineFormat));
  }

  private hearKey(key: KeyEvent): void {
    let isTaken = false;
    for (const observer of this.observers) isTaken = observer.pressed?.(key) || isTaken;
    if (!isTaken) this.speech.signal({ type: 'dtmf', digit: key.digit });
  }

  private tooFast(): void {
    if (!this.isTooFast) this.parts.log.warn('A carrier sends sound faster than it is spoken', { requestId: this.record.keyId });
    this.isTooFast = true;
  }

  private mediaEnded({ reason, message, brokenOff }: Extract<MediaEvent, { kind: 'ended' }>): void {
    if (this.awaitsMedia || this.ending === endings.otherMedia) return;
    if (reason === 'caller-hung-up') this.finish(endings.hungUp);
    else if (reason === 'protocol') this.finish({ ...endings.badMedia, causeCode: message.slice(0, 200) });
    else if (brokenOff !== undefined) this.finish(brokenOffBy(brokenOff));
    else void this.loseMedia();
  }

  /** Waits briefly for the carrier's reason, since a broken connection does not tell why the call ended. */
  private async loseMedia(): Promise<void> {
    this.isMediaLost = true;
    this.watch?.stop();
    const endedAt = new Date();
    await within<unknown>(lastWordMs, this.finished, () => undefined);
    const { cause, remarks, ...ending } = this.lineFormat ? { ...endings.mediaLost, remarks: [] } : endings.neverBegan;
    this.finish({ ...ending, cause, remarks, endedAt });
    // A call that never began has this reason, whatever the carrier reports.
    if (!this.lineFormat) await this.note({ cause, remarks, isHolder: true });
  }

  private async begin({ format, callId }: MediaStart, media: CallMedia): Promise<void> {
    if (isAnother(callId, this.record.carrierCallId)) return this.finish(endings.otherMedia);
    this.lineFormat = format;
    this.watch?.stop();
    this.watch = new MediaWatch(format, this.parts.settings.silentMediaMs);
    this.watch.start(() => this.finish(endings.noMedia));
    this.marks = new PlaybackMarks(media, format, (playedMs) => this.speech.signal({ type: 'playback', playedMs }));
    if (this.record.state === 'IN_PROGRESS') return;
    try {
      await this.meter.begin();
      if (!(await this.claim(callId))) return;
      await this.converse(format);
    } catch (error) {
      this.finish(endingOfFailure(error));
    }
  }

  /** Records that the call is answered and that this replica holds its slot. */
  private async claim(carrierCallId: string | undefined): Promise<boolean> {
    const { orgId, id } = this.record;
    const { callRecords, slots, held } = this.parts;
    let isElsewhere = false;
    const call = await callRecords.decide(orgId, id, async (locked, manager) => {
      isElsewhere = locked.state === 'IN_PROGRESS';
      if (isElsewhere || isOver(locked.state)) return undefined;
      if (await slots.hasNoConversationLeft(manager, locked)) return abandoned;
      await slots.hold(manager, locked, this.dialogs);
      return { state: 'IN_PROGRESS', ...(carrierCallId && { carrierCallId }) };
    });
    if (isElsewhere) return (this.finish(endings.elsewhere), false);
    if (call) this.record = call;
    if (call && !isOver(call.state) && !this.ending) {
      held.add(this);
      return true;
    }
    this.finish({ ...endings.ordered, isKnown: true });
    return false;
  }

  private async converse(format: MediaFormat): Promise<void> {
    const { agentKey: AgentKeyID, wishes, orgId, id } = this.record;
    const { language, variables } = wishes;
    const caller = { channel: 'PHONE' as const, language, variables, canTransfer: true };
    const opening = { AgentKeyID, ...caller, turnsPaidBy: {}, takesUndecided: true, ...speechFormatOf(format) };
    // A replica that takes over the session is given its id.
    const known: { sessionUUID?: string } = {};
    const { sessionUUID } = await this.speech.open(async ({ timeoutMs, signal, goesOn }) => {
      const wish = { ...opening, ...known, ...(goesOn && { goesOn }) };
      return inCallOf(this.record, () => this.parts.bus.open(openVoiceSession, wish, { timeoutMs }), signal);
    });
    known.sessionUUID = sessionUUID;
    await this.parts.callRecords.note(orgId, id, { sessionUuid: sessionUUID });
  }

  private hearSpeech(signal: LineSignal): void {
    for (const observer of this.observers) observer.signalled(signal);
    if (signal.type === 'usage') this.meter.use(signal.usage);
    else if (signal.type === 'turn.used') this.meter.useTurn(signal);
    else if (signal.type === 'line.undecided') this.meter.foresee(signal.seconds);
    else if (signal.type === 'warning') this.isUnheard ||= signal.code === 'SPEECH_NOT_WRITTEN';
    else if (signal.type === 'agent.audio.start') this.beginAnswer();
    else if (signal.type === 'agent.interrupted') this.media?.clear();
    else if (signal.type === 'agent.done') this.latency.add(signal.latency);
    else if (signal.type === 'session.ended' && !this.awaitsMedia) this.finish(endingOfSession(signal.reason, this.isUnheard));
  }

  /** A carrier that plays large chunks gets a little silence first, or its buffer would run dry between chunks. */
  private beginAnswer(): void {
    this.marks?.begin();
    const { media, lineFormat } = this;
    const leadMs = Math.min(media?.capabilities.leadMs ?? 0, leadSilenceMax);
    if (media && lineFormat && leadMs > 0) media.send(silenceOf(lineFormat, leadMs));
  }

  private play(bytes: Uint8Array): void {
    if (!this.lineFormat) return;
    const sound = forCarrier(bytes, this.lineFormat);
    this.send(sound);
    this.marks?.sent(sound);
  }

  private async conclude(ending: CallEnding): Promise<void> {
    this.watch?.stop();
    for (const observer of this.observers) observer.over();
    const remarks = [...(ending.remarks ?? []), ...(this.watch?.remarks() ?? [])];
    this.hangUp(ending);
    if (ending.isElsewhere) return this.meter.end();
    const quality = this.watch?.quality(this.media);
    // The final event contains the usage so far; usage reported later is added below.
    const facts = { remarks, used: { ...this.meter.used }, ...(quality && { quality }) };
    const isHolder = !saidByLine.has(ending.cause);
    await this.note(ending.isKnown ? facts : { ...ending, ...facts, isHolder });
    await Promise.all([
      this.speech.leave({ type: 'session.end', reason: sessionEndOf(ending) }, 'the call is over'),
      this.endAtCarrier(ending),
    ]);
    await this.meter.end();
    const latency = this.latency.mean();
    await this.note({ used: this.meter.used, turnCount: this.latency.turns, ...(latency && { latency }) });
    this.parts.held.remove(this);
  }

  private hangUp({ isGone, isPolite }: CallEnding): void {
    if (isPolite && !isGone) this.media?.hangUp();
    else this.media?.close('hung-up', 'the call is over');
  }

  private async endAtCarrier({ isGone, isPolite }: CallEnding): Promise<void> {
    const { carrierCallId } = this.record;
    const { carrier } = this.open;
    if (isGone || carrierCallId === null || (isPolite && this.media?.capabilities.hangUpEndsCall)) return;
    const until = Date.now() + 2_000;
    while (isPolite && this.media && !this.media.isEnded && Date.now() < until) await delay(50);
    await endAt(carrier, carrierCallId).catch((error: unknown) => {
      this.parts.log.warn('A call could not be ended at its carrier', { requestId: this.record.keyId, error });
    });
  }

  private remark(remark: 'MOVED'): void {
    void this.note({ remarks: [remark] });
  }

  /** Records a step, retrying while Postgres restarts. After that the sweeper of some replica finds the call. */
  private async note(step: CallStep): Promise<void> {
    const { orgId, id } = this.record;
    const until = Date.now() + notedWithinMs;
    for (;;) {
      try {
        await this.parts.callRecords.note(orgId, id, step);
        return;
      } catch (error) {
        if (!isTemporaryFailure(error) || Date.now() > until) {
          return this.parts.log.error('The outcome of a call could not be recorded', { requestId: this.record.keyId, error });
        }
        await delay(noteAgainMs);
      }
    }
  }
}

/** Whether the carrier's id reported by the media contradicts that of the call named by its token. */
export function isAnother(toldCallId: string | undefined, carrierCallId: string | null | undefined): boolean {
  return Boolean(toldCallId) && Boolean(carrierCallId) && toldCallId !== carrierCallId;
}
