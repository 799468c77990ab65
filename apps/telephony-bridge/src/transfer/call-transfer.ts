import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallOrder, Fault, type SpeechLanguage } from '@parley/contracts';
import type { LineSignal } from '@parley/messaging';
import { type CallMedia, type DialledAddress, isEndState, type MediaEvent, type MediaFormat } from '@parley/ports';
import { endAt, lineOf, type PublicAddress } from '../accounts/open-carriers';
import { type CallEntity, callerOf, ourNumberOf } from '../calls/call.entity';
import type { MediaTokens } from '../calls/media-tokens';
import { endings, type CallStep, type TransferStep } from '../calls/call-steps';
import { bytesOf, samplesOf, speakOn } from '../line/spoken-message';
import { type CallObserver, isAnother, type KeyEvent, type PhoneCall } from '../line/phone-call';
import { addressToDial, type AddressRead } from '../accounts/callable-numbers';
import type { CallLegs } from './call-legs';

type TransferWish = Omit<Extract<CallOrder, { order: 'TRANSFER' }>, 'order' | 'CallID'>;

interface TransferParts {
  readonly legs: CallLegs;
  readonly tokens: MediaTokens;
  readonly address: PublicAddress;
}

interface Leg {
  readonly reference: string;
  readonly number: DialledAddress;
  carrierCallId?: string;
  media?: CallMedia;
  format?: MediaFormat;
  isTalking: boolean;
}

/** Why a transfer failed. */
type ComesBack = 'REFUSED' | 'NO_ANSWER' | 'FAILED';

/** How long the agent's current sentence may take before it is cut off. */
const sentenceMs = 20_000;
const answeredWithinMs = 15_000;
const agentRingSeconds = 25;
const sentencesTold = 2;
const wordsMax = 300;

/** Transfers a call to a person: the agent falls silent, the person is called, and if nobody answers the agent continues. */
export class CallTransfer implements CallObserver {
  private wish: TransferWish | undefined;
  private isUnderWay = false;
  private leg: Leg | undefined;
  private patience: NodeJS.Timeout | undefined;
  private summary = '';
  /** The caller's last sentences, for the introduction if there is no summary. */
  private lastWords: readonly string[] = [];

  constructor(
    private readonly call: PhoneCall,
    private readonly parts: TransferParts,
  ) {}

  /** Starts a transfer. False if one is in progress, or the carrier does not support this mode. */
  ask(wish: TransferWish): boolean {
    if (this.isUnderWay || this.call.isFinished || !this.canTransfer(wish.mode)) return false;
    this.isUnderWay = true;
    this.wish = wish;
    this.call.speech.signal({ type: 'transfer.ask', to: wish.to });
    this.waitFor(sentenceMs, () => void this.transfer(wish));
    return true;
  }

  heard(bytes: Uint8Array): boolean {
    if (this.leg) this.toLeg(this.leg, bytes);
    return this.isUnderWay && this.leg?.isTalking === true;
  }

  pressed(key: KeyEvent): boolean {
    const { leg } = this;
    if (!leg?.isTalking) return false;
    if (leg.media) press(leg.media, key);
    return true;
  }

  signalled(signal: LineSignal): void {
    if (signal.type === 'transcript.final') this.remember(signal.text);
    if (signal.type !== 'line.transfer') return;
    const mode = this.canTransfer('ANNOUNCED') ? ('ANNOUNCED' as const) : ('BLIND' as const);
    const wish = this.wish ?? { to: signal.to, mode, summary: '', ringSeconds: agentRingSeconds };
    if (!this.wish) this.note({ state: 'ASKED', to: this.read(wish.to).address ?? wish.to, mode: wish.mode });
    this.isUnderWay = true;
    void this.transfer(wish);
  }

  private remember(text: string): void {
    this.lastWords = [...this.lastWords, text.trim().slice(0, wordsMax)].filter(Boolean).slice(-sentencesTold);
  }

  over(): void {
    clearTimeout(this.patience);
    this.endLeg();
  }

  /** The carrier returned the call, because the transfer was not answered. */
  cameBack(why: 'unanswered' | 'refused' = 'unanswered'): void {
    if (this.isUnderWay) this.fail(why === 'refused' ? 'REFUSED' : 'NO_ANSWER');
  }

  get placed(): string | undefined {
    return this.leg?.carrierCallId;
  }

  /** Whether the person with this reference was called and has not picked up yet. */
  awaits(leg: string): boolean {
    return this.leg?.reference === leg && this.leg.media === undefined && !this.call.isFinished;
  }

  /** Connects the person's line once they have picked up. */
  attach(leg: string, answer: (hear: (event: MediaEvent) => void) => CallMedia): boolean {
    const held = this.leg;
    if (!held || !this.awaits(leg)) return false;
    const early: MediaEvent[] = [];
    let isReady = false;
    const hear = (event: MediaEvent): void => void (isReady ? this.hearLeg(held, event) : early.push(event));
    held.media = answer(hear);
    isReady = true;
    for (const event of early) this.hearLeg(held, event);
    return true;
  }

  /** The person did not pick up, or hung up. */
  legEnded(leg: string, why: ComesBack = 'NO_ANSWER'): void {
    if (this.leg?.reference === leg) this.lostLeg(this.leg, why);
  }

  private canTransfer(mode: TransferWish['mode']): boolean {
    const { control, media, listen } = this.call.open.carrier;
    if (!control) return false;
    if (mode === 'ANNOUNCED') return media !== undefined || listen !== undefined;
    return control.capabilities.transfers !== 'never';
  }

  /** The address that is dialled for a person. */
  private read(to: string): AddressRead {
    const { call, open, parts } = this.call;
    return addressToDial(to, lineOf(open.carrier, callerOf(call), parts.settings));
  }

  private async transfer(wish: TransferWish): Promise<void> {
    clearTimeout(this.patience);
    this.wish = undefined;
    try {
      if (!this.canTransfer(wish.mode)) return this.fail('FAILED');
      const { address, says } = this.read(wish.to);
      if (address === undefined) throw new Fault('VALIDATION_FAILED', { message: `The number ${says}.` });
      if (wish.mode === 'ANNOUNCED') await this.announce(wish, address);
      else await this.handOver(wish, address);
    } catch (error) {
      this.call.parts.log.warn('A call could not be transferred', { requestId: this.call.call.keyId, error });
      this.fail('FAILED');
    }
  }

  /** Has the carrier connect the two. If it does not return the call in time, the person took it. */
  private async handOver({ ringSeconds }: TransferWish, number: DialledAddress): Promise<void> {
    const { call, open, parts } = this.call;
    const { control } = open.carrier;
    const { orgId, id, carrierCallId } = call;
    if (!control || carrierCallId === null) return this.fail('FAILED');
    const from = ourNumberOf(call);
    const plan = { to: number, from, ringSeconds };
    await parts.callRecords.note(orgId, id, { transferPlan: plan });
    this.call.expectReturn();
    const afterUrl = this.parts.address.webhook(open.account, 'after');
    const documentUrl = this.parts.address.webhook(open.account, 'document');
    if (control.transfer) await control.transfer({ callId: carrierCallId, ...plan, documentUrl, afterUrl });
    else this.call.line?.media.hangUp();
    this.note({ state: 'RINGING' });
    this.waitFor(ringSeconds * 1000 + answeredWithinMs, () => void this.settle(number));
  }

  /** The carrier did not report an outcome. If the call still exists it was taken; if it is over, that is unknown. */
  private async settle(number: string): Promise<void> {
    const { carrierCallId: callId } = this.call.call;
    const { control } = this.call.open.carrier;
    const found = callId === null ? undefined : await control?.find({ callId }).catch(() => undefined);
    this.call.speech.signal({ type: 'transfer.done' });
    const isOver = found !== undefined && isEndState(found.state);
    this.call.finish(isOver ? endings.leftMeanwhile : { ...endings.transferred, transferredTo: number });
  }

  private fail(why: ComesBack): void {
    clearTimeout(this.patience);
    this.endLeg();
    this.isUnderWay = false;
    this.note({ state: why }, { transferredTo: null, transferPlan: null });
    if (this.call.isFinished) return;
    this.call.noteReturned();
    this.call.speech.signal({ type: 'transfer.failed' });
  }

  /** Calls the person on a separate line. */
  private async announce({ ringSeconds, summary }: TransferWish, number: DialledAddress): Promise<void> {
    const { call, open } = this.call;
    const { control } = open.carrier;
    if (!control) return this.fail('FAILED');
    const leg: Leg = { reference: randomUUID(), number, isTalking: false };
    this.leg = leg;
    this.summary = summary;
    const ticket = { orgId: call.orgId, callId: call.id, leg: leg.reference };
    await this.parts.legs.begin({ orgId: call.orgId, accountId: call.accountId, callId: call.id, reference: leg.reference });
    const token = await this.parts.tokens.issue(ticket, ringSeconds + answeredWithinMs / 1000);
    this.waitFor(ringSeconds * 1000 + answeredWithinMs, () => this.lostLeg(leg, 'NO_ANSWER'));
    const from = ourNumberOf(call);
    const placed = await control.place({
      reference: leg.reference,
      from,
      to: leg.number,
      answerUrl: this.parts.address.webhook(open.account, 'answer', leg.reference),
      statusUrl: this.parts.address.webhook(open.account, 'status', leg.reference),
      mediaUrl: this.parts.address.media(open.account.carrier, token),
      ringSeconds,
      secondsMax: 14_400,
      detectMachine: false,
    });
    leg.carrierCallId = placed.callId;
    this.note({ state: 'RINGING' });
    await this.parts.legs.named({ orgId: call.orgId, reference: leg.reference }, placed.callId);
  }

  private hearLeg(leg: Leg, event: MediaEvent): void {
    if (event.kind === 'started') {
      if (isAnother(event.start.callId, leg.carrierCallId))
        return void leg.media?.close('protocol', 'it is that of another call');
      leg.format = event.start.format;
      void this.introduce(leg);
    } else if (event.kind === 'audio') {
      const { line } = this.call;
      if (leg.isTalking && line && leg.format) this.call.send(between(event.bytes, leg.format, line.format));
    } else if (event.kind === 'digit') {
      const { line } = this.call;
      if (leg.isTalking && line) press(line.media, event);
    } else if (event.kind === 'ended') {
      this.lostLeg(leg, 'REFUSED');
    }
  }

  /** Lets the person hear a summary, then connects the two. */
  private async introduce(leg: Leg): Promise<void> {
    clearTimeout(this.patience);
    const { call, meter, parts } = this.call;
    const { media, format } = leg;
    if (!media || !format) return;
    try {
      const language = call.wishes.language ?? 'english';
      const text = this.summary.trim() || introductionOf(call, this.lastWords);
      const ms = await speakOn({ media, format }, { text, language }, { bus: parts.bus, identity: call, meter });
      await delay(ms);
    } catch (error) {
      parts.log.warn('The target of a transfer could not be told what the call is about', { requestId: call.keyId, error });
    }
    if (this.leg !== leg || media.isEnded) return;
    leg.isTalking = true;
    // From here on the call counts as transferred, whoever ends it.
    this.note({ state: 'TAKEN' }, { transferredTo: leg.number });
  }

  private toLeg(leg: Leg, bytes: Uint8Array): void {
    const { line } = this.call;
    if (leg.isTalking && line && leg.format) leg.media?.send(between(bytes, line.format, leg.format));
  }

  private lostLeg(leg: Leg, why: ComesBack): void {
    if (this.leg !== leg) return;
    if (leg.isTalking) {
      this.call.speech.signal({ type: 'transfer.done' });
      this.call.finish({ ...endings.transferred, transferredTo: leg.number, isGone: false, isPolite: true });
    } else {
      this.fail(why);
    }
  }

  private note(transfer: TransferStep, beside: Pick<CallStep, 'transferredTo' | 'transferPlan'> = {}): void {
    const { call, parts } = this.call;
    void parts.callRecords.note(call.orgId, call.id, { transfer, ...beside }).catch((error: unknown) => {
      parts.log.warn('How a transfer fares could not be written down', {
        requestId: call.keyId,
        transfer: transfer.state,
        error,
      });
    });
  }

  private endLeg(): void {
    const { leg } = this;
    this.leg = undefined;
    if (!leg) return;
    leg.media?.hangUp();
    if (leg.carrierCallId === undefined) return;
    void endAt(this.call.open.carrier, leg.carrierCallId).catch((error: unknown) => {
      this.call.parts.log.warn('The line of a transfer’s target could not be ended', { requestId: this.call.call.keyId, error });
    });
  }

  private waitFor(ms: number, work: () => void): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(work, ms);
  }
}

const introductions: Record<SpeechLanguage, (number: string) => string> = {
  english: (number) => `A call for you from ${number}.`,
  hindi: (number) => `आपके लिए ${number} से कॉल है।`,
  marathi: (number) => `तुमच्यासाठी ${number} वरून कॉल आहे.`,
};
const saidBefore: Record<SpeechLanguage, string> = {
  english: 'The caller said:',
  hindi: 'कॉल करने वाले ने कहा:',
  marathi: 'कॉल करणारे म्हणाले:',
};

/** Tells who is calling, and about what, in the caller's own words. */
function introductionOf(call: CallEntity, words: readonly string[]): string {
  const { language = 'english' } = call.wishes;
  const from = introductions[language](call.direction === 'INBOUND' ? call.fromAddress : call.toAddress);
  return words.length === 0 ? from : `${from} ${saidBefore[language]} ${words.join(' ')}`;
}

/** Passes a key on, unless its tone is in the sound anyway. */
function press(media: CallMedia, { digit, isInSound = false }: KeyEvent): void {
  if (!isInSound) media.sendDigits(digit);
}

/** Converts audio from one line's encoding to the other's. Lines of one account have the same rate. */
function between(bytes: Uint8Array, from: MediaFormat, to: MediaFormat): Uint8Array {
  return from.encoding === to.encoding ? bytes : bytesOf(samplesOf(bytes, from), to);
}
