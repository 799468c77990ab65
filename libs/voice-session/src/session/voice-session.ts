import { answered, answerFailed } from './answering';
import { close, end, cutOff, hearLast, keepUnanswered, typeLast } from './ending';
import type { SessionAction, SessionEvent, SessionState } from './events';
import { hear, isLosingAnswers, mayInterrupt } from './interruptions';
import { advance, nextWakeMs, soundFailed, transferFailed, transferSoon } from './progress';
import type { FrameCounts } from './output';
import { closeTyped } from './pausing';
import type { SessionSettings } from './settings';
import { greet, keepLatency, keepSoFar, type SessionRules, Talk } from './talk';

const typedMax = 4;
/** Only the end is kept, since that is where a question stands. */
const askedLettersMax = 500;
/** A guard against an endless loop: no moment has this many steps due. */
const stepsMax = 200;

/**
 * Decides who speaks when: timed events go in, actions come out. It never waits, reads no clock and does no I/O, so the same
 * events always give the same actions.
 */
export class VoiceSession {
  private readonly talk: Talk;

  constructor(settings: SessionSettings, rules: SessionRules) {
    this.talk = new Talk(settings, rules);
  }

  get state(): SessionState {
    return this.talk.state;
  }

  get figures(): FrameCounts {
    return this.talk.output.frameCounts;
  }

  /** When to send `woke` if no event arrives before. */
  get nextWakeMs(): number {
    return nextWakeMs(this.talk);
  }

  /** What another replica needs to continue this session. */
  get snapshot() {
    return this.snapshotAt(this.talk.nowMs);
  }

  /** The same, with the elapsed time as of the given moment. */
  snapshotAt(nowMs: number) {
    const { language, patienceMs, asked, settings, typed } = this.talk;
    return {
      language,
      usualPauseMs: patienceMs,
      asked: asked.slice(-askedLettersMax),
      waiting: typed.length > 0 ? [...typed] : undefined,
      elapsedMs: nowMs + (settings.elapsedMs ?? 0),
    };
  }

  handle(event: SessionEvent): SessionAction[] {
    const { talk } = this;
    talk.nowMs = Math.max(talk.nowMs, event.nowMs);
    if (talk.state.kind === 'ended') applyAfterEnd(talk, event);
    else apply(talk, event);
    for (let steps = 0; advance(talk); steps++) {
      if (steps > stepsMax) throw new Error(`a session does not settle in the state ${talk.state.kind}`);
    }
    pump(talk);
    return talk.actions.splice(0);
  }
}

function apply(talk: Talk, event: SessionEvent): void {
  switch (event.kind) {
    case 'opened':
      return talk.settings.isContinued ? undefined : greet(talk);
    case 'heard':
      return hear(talk, event.heard);
    case 'typed':
      return type(talk, event.text);
    case 'key':
      return press(talk);
    case 'keyed':
      return enterKeys(talk, event.digits);
    case 'interrupt':
      return interrupt(talk);
    case 'playback':
      return talk.output.notePlayed({ playedMs: event.playedMs }, talk.nowMs);
    case 'marked':
      return talk.output.notePlayed({ mark: event.name }, talk.nowMs);
    case 'answered':
      return answered(talk, event.answer, event.step);
    case 'answer-failed':
      return answerFailed(talk, event);
    case 'sound':
      return makeSound(talk, event);
    case 'sound-ended':
      return endSound(talk, event.piece);
    case 'sound-failed':
      return soundFailed(talk, event.piece, event.message);
    case 'hold':
      return hold(talk);
    case 'resume':
      return resume(talk);
    case 'transfer':
      return transferSoon(talk, event.to);
    case 'transfer-failed':
      return transferFailed(talk);
    case 'drain':
      return void (talk.drainsSinceMs ??= talk.nowMs);
    case 'credits-exhausted':
      return close(talk, 'CREDITS_EXHAUSTED', talk.settings.lines.creditsExhausted);
    case 'end':
      return end(talk, event.reason);
    case 'woke':
    case 'written':
      return undefined;
  }
}

function applyAfterEnd(talk: Talk, event: SessionEvent): void {
  if (event.kind === 'heard') hearLast(talk, event.heard);
  if (event.kind === 'typed') typeLast(talk, event.text);
  if (event.kind === 'keyed' && talk.settings.hearsDigits) typeLast(talk, keyedText(event.digits));
  if (event.kind === 'written') keepUnanswered(talk);
}

function makeSound(talk: Talk, event: Extract<SessionEvent, { kind: 'sound' }>): void {
  const { answer, nowMs } = talk;
  const piece = talk.output.piece(event.piece);
  if (!piece) return;
  piece.lastSoundMs = nowMs;
  if (answer?.clock && answer.utterance?.pieces.includes(piece)) answer.clock.firstSoundAtMs ??= nowMs;
  talk.output.makeSound(event.piece, event, nowMs);
}

function endSound(talk: Talk, id: number): void {
  const piece = talk.output.piece(id);
  if (piece) piece.isMade = true;
}

/** Typed text interrupts like a voice. It waits while interruption is not allowed, and where it would withdraw answer after answer. */
function type(talk: Talk, text: string): void {
  if (talk.closing) return typeLast(talk, text);
  if (talk.state.kind === 'held') return talk.warn('TEXT_IGNORED', 'The call cannot accept a text now.');
  const hasFloor = talk.state.kind === 'thinking' || talk.state.kind === 'speaking';
  if (hasFloor && (!mayInterrupt(talk) || (talk.state.kind === 'thinking' && isLosingAnswers(talk)))) {
    if (talk.typed.length < typedMax) talk.wait(text);
    else talk.warn('TEXT_IGNORED', `${typedMax} texts wait already, behind the question that is being answered.`);
    return;
  }
  if (hasFloor || talk.state.kind === 'interrupted') {
    const question = cutOff(talk, { takesBack: true });
    if (question !== undefined) talk.turn.precede(question);
  }
  closeTyped(talk, text);
}

/** One key is a choice from a menu. More may be a secret such as a PIN, so history and prompts get their number and not the digits. */
function keyedText(digits: string): string {
  return digits.length === 1 ? digits : `(Keyed: ${'•'.repeat(digits.length)})`;
}

function enterKeys(talk: Talk, digits: string): void {
  talk.keyAtMs = undefined;
  if (talk.settings.hearsDigits) type(talk, keyedText(digits));
}

function press(talk: Talk): void {
  const { kind } = talk.state;
  if (!talk.settings.hearsDigits || kind === 'held') return;
  talk.idleStep = 0;
  talk.keyAtMs = talk.nowMs;
  if (kind === 'listening' || (kind === 'speaking' && mayInterrupt(talk))) silence(talk);
}

function interrupt(talk: Talk): void {
  const { kind } = talk.state;
  if (kind !== 'thinking' && kind !== 'speaking' && kind !== 'interrupted') return;
  if (mayInterrupt(talk)) silence(talk);
  else talk.warn('INTERRUPTION_NOT_ALLOWED', 'The agent cannot be interrupted now.');
}

function silence(talk: Talk): void {
  cutOff(talk, { takesBack: false });
  talk.listen();
}

function hold(talk: Talk): void {
  const { kind } = talk.state;
  if (kind === 'held' || talk.closing) return;
  const from = kind === 'interrupted' ? talk.state.from : kind === 'thinking' || kind === 'speaking' ? kind : 'listening';
  talk.output.pause(talk.nowMs);
  talk.do({ kind: 'clear' });
  talk.voice = undefined;
  talk.enter({ kind: 'held', from });
}

function resume(talk: Talk): void {
  const { state } = talk;
  if (state.kind !== 'held') return;
  talk.output.resume();
  if (state.from === 'speaking') talk.enter({ kind: 'speaking' });
  else if (state.from === 'thinking') talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
  else talk.listen();
}

/** Sends the sound that is due, and requests the synthesis of what follows. */
function pump(talk: Talk): void {
  if (talk.state.kind === 'ended') return;
  for (const piece of talk.output.wanted()) {
    piece.askedAtMs = talk.nowMs;
    piece.lastSoundMs = talk.nowMs;
    talk.do({ kind: 'speak', piece: piece.id, text: piece.text, language: talk.language, isFirst: piece.isFirst });
  }
  const plays = talk.output.play(talk.nowMs);
  if (plays.length > 0) begin(talk, plays);
}

function begin(talk: Talk, plays: readonly SessionAction[]): void {
  const { answer, output, nowMs } = talk;
  const { current } = output;
  if (current && current.generation !== talk.announced) {
    talk.announced = current.generation;
    talk.tell({ type: 'agent.audio.start', turnUUID: current.about.turnUUID, sampleRate: talk.settings.sampleRate });
  }
  talk.actions.push(...plays);
  if (talk.state.kind === 'thinking') talk.enter({ kind: 'speaking' });
  if (answer?.clock) {
    const silentMs = ((current?.pieces[0]?.silent ?? 0) * 1000) / talk.settings.sampleRate;
    answer.clock.firstPlayedAtMs ??= nowMs + silentMs;
    keepLatency(talk, answer);
    keepSoFar(talk, answer);
  }
  forgetHeard(talk);
}

/** Releases the sound of sentences that have been heard. */
function forgetHeard(talk: Talk): void {
  for (const piece of talk.output.current?.heardCompletely(talk.output.heard(talk.nowMs)) ?? []) {
    if (!piece.isForgotten) talk.do({ kind: 'forget', piece: piece.id });
    piece.isForgotten = true;
  }
}
