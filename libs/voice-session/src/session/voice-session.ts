import type { SessionAction } from './actions';
import { answered, answerFailed } from './answering';
import { cutOff } from './cut-off';
import { close, end } from './ending';
import type { SessionEvent } from './events';
import { hear } from './hearing';
import { mayInterrupt } from './interruption';
import { soundFailed } from './limits';
import type { OutputFigures } from './output';
import { closeTyped } from './pausing';
import { advance, nextWakeMs } from './progress';
import { pump } from './pump';
import { greet } from './saying';
import type { SessionSettings } from './settings';
import type { SessionState } from './state';
import { type SessionRules, Talk } from './talk';

const typedMax = 4;
/** More things than this cannot become due at one moment; a session that wants more is broken and says so. */
const stepsMax = 200;

/**
 * Who speaks when, decided step by step: events with their times go in, actions come out. It waits for nothing, reads no
 * clock and makes no sound, so the same events give the same actions every time.
 */
export class VoiceSession {
  private readonly talk: Talk;

  constructor(settings: SessionSettings, rules: SessionRules) {
    this.talk = new Talk(settings, rules);
  }

  get state(): SessionState {
    return this.talk.state;
  }

  get figures(): OutputFigures {
    return this.talk.output.figures;
  }

  /** When to send `woke` if nothing happens before. */
  get nextWakeMs(): number {
    return nextWakeMs(this.talk);
  }

  /** What another session needs to go on where this one is. */
  get snapshot() {
    const { language, usualPauseMs, settings, nowMs } = this.talk;
    return { language, usualPauseMs, elapsedMs: nowMs + (settings.elapsedMs ?? 0) };
  }

  handle(event: SessionEvent): SessionAction[] {
    const { talk } = this;
    talk.nowMs = Math.max(talk.nowMs, event.nowMs);
    if (talk.state.kind !== 'ended') meet(talk, event);
    for (let steps = 0; advance(talk); steps++) {
      if (steps > stepsMax) throw new Error(`a session found no rest in the state ${talk.state.kind}`);
    }
    pump(talk);
    return talk.actions.splice(0);
  }
}

function meet(talk: Talk, event: SessionEvent): void {
  switch (event.kind) {
    case 'opened': return talk.settings.elapsedMs === undefined ? greet(talk) : undefined;
    case 'heard': return hear(talk, event.heard);
    case 'typed': return type(talk, event.text);
    case 'key': return press(talk);
    case 'keyed': return talk.settings.hearsDigits ? type(talk, event.digits) : undefined;
    case 'interrupt': return interrupt(talk);
    case 'playback': return talk.output.noticePlayed({ playedMs: event.playedMs }, talk.nowMs);
    case 'marked': return talk.output.noticePlayed({ mark: event.name }, talk.nowMs);
    case 'answered': return answered(talk, event.answer, event.step);
    case 'answer-failed': return answerFailed(talk, event);
    case 'sound': return makeSound(talk, event);
    case 'sound-ended': return endSound(talk, event.piece);
    case 'sound-failed': return soundFailed(talk, event.piece, event.message);
    case 'hold': return hold(talk);
    case 'resume': return resume(talk);
    case 'drain': return void (talk.drainsSinceMs ??= talk.nowMs);
    case 'credits-exhausted': return close(talk, 'CREDITS_EXHAUSTED', talk.settings.lines.creditsExhausted);
    case 'end': return end(talk, event.reason);
    case 'woke': return undefined;
  }
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

/** Typed text takes the floor like a voice; where nobody may interrupt, it waits for its turn. */
function type(talk: Talk, text: string): void {
  if (talk.closing || talk.state.kind === 'held') return talk.warn('TEXT_IGNORED', 'The call cannot take a text now.');
  const hasFloor = talk.state.kind === 'thinking' || talk.state.kind === 'speaking';
  if (hasFloor && !mayInterrupt(talk)) {
    if (talk.typed.length < typedMax) talk.typed.push(text);
    else talk.warn('TEXT_IGNORED', `At most ${typedMax} texts wait to be answered.`);
    return;
  }
  if (hasFloor || talk.state.kind === 'interrupted') {
    const question = cutOff(talk, { takesBack: true });
    if (question !== undefined) talk.turn.precede(question);
  }
  closeTyped(talk, text);
}

function press(talk: Talk): void {
  const { kind } = talk.state;
  if (!talk.settings.hearsDigits || kind === 'held') return;
  talk.idleStep = 0;
  if (kind === 'listening' || (kind === 'speaking' && mayInterrupt(talk))) silence(talk);
}

function interrupt(talk: Talk): void {
  const { kind } = talk.state;
  if (kind !== 'thinking' && kind !== 'speaking' && kind !== 'interrupted') return;
  if (mayInterrupt(talk)) silence(talk);
  else talk.warn('INTERRUPTION_NOT_ALLOWED', 'The agent may not be interrupted now.');
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
