import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Fault, type FaultCode, type ServerFrame, type SocketWarning } from '@parley/contracts';
import { sentencesOf } from '@parley/language';
import type { SpokenLanguage } from '@parley/ports';
import type { EndOfTurnJudge } from '../hearing/heard';
import { suspectedIn } from '../hearing/speech-detector';
import type { EndReason, SessionAction, SessionState } from './events';
import { heardTextOf, type OpenAnswer, partsOf } from './answer';
import { CallerTurn } from './caller-turn';
import { Output } from './output';
import type { SessionSettings } from './settings';
import type { Purpose, Utterance } from './utterance';

/** A session's rules. They must depend on their arguments only, or a replay would differ. */
export interface SessionRules {
  readonly judge: EndOfTurnJudge;
  readonly isBackchannel: (text: string, language: SpokenLanguage) => boolean;
  /** Whether the first words come from a machine; asked only where the settings want to know. */
  readonly isVoicemail?: (heard: { text: string; language: SpokenLanguage; sinceOpenedMs: number }) => boolean;
}

export interface VoiceSpan {
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly attention: Attention;
}

/**
 * What a voice may do. `voice`: interrupt. `words`: only its words may, since it has lasted long without any. `deferred`: be
 * answered once the agent has finished.
 */
type Attention = 'voice' | 'words' | 'deferred';

/** The mutable state of a session. */
export class Talk {
  nowMs = 0;
  state: SessionState = { kind: 'listening', sinceMs: 0 };
  language: SpokenLanguage;
  voice: VoiceSpan | undefined;
  turn = new CallerTurn();
  answer: OpenAnswer | undefined;
  readonly output: Output;
  readonly actions: SessionAction[] = [];
  /** Whether recognition transcribes live: only then does a lack of words mean anything. */
  writesLive = false;
  /** What the caller said while interruption was not allowed. It is answered next. */
  deferred: CallerTurn | undefined;
  /** How many texts came before it, and are answered first. */
  deferredBehind = 0;
  /** When the voice of that deferred turn ended, if it has. */
  deferredVoiceEndMs: number | undefined;
  /** What the agent said last, as far as it was heard. */
  asked = '';
  /** When the voice of the previous turn ended: a caller who speaks again soon after had not finished that turn. */
  closedVoiceEndMs: number | undefined;
  /** When the silence of both sides began. */
  quietSinceMs = 0;
  /** When recognition was asked to finish a turn, each time. */
  private readonly finishesAskedMs: number[] = [];
  /** How many of the transcripts requested by that have arrived; they do so in order. */
  private finishesHeard = 0;
  /** The recognizer failed, and nothing has been transcribed since. */
  hasLostRecognition = false;
  /** A voice over the answer could not be transcribed, and nothing has been understood since: it is asked for after the answer. */
  hasMissedVoice = false;
  /** What the agent said before its present utterance, as far as it was heard. */
  saidBefore = '';
  /** Consecutive interruptions, on a line that may return its voice, by words that the agent was saying. */
  echoedTurns = 0;
  /** When a turn was closed whose words were still missing; they are answered if they come, and asked for again if they cannot. */
  unheardSinceMs: number | undefined;
  /** Consecutive turns that could not be transcribed. */
  untranscribedTurns = 0;
  /** The average pause within a turn. */
  usualPauseMs: number | undefined;
  /** How long a pause has to be waited for since the caller went on after shorter ones that were answered, and how often that was so. */
  learnedPauseMs: number;
  answersTooEarly = 0;
  answersAsked = 0;
  turnsClosed = 0;
  linesSaid = 0;
  idleStep = 0;
  /** Consecutive answers that the caller cut off before any of them was heard. */
  lostAnswers = 0;
  falseAlarms = 0;
  /** When the agent paused for a possible voice. */
  suspectedAtMs: number | undefined;
  /** How often in this turn such a voice turned out to be none. */
  falseSuspicions = 0;
  closing: { readonly reason: EndReason; readonly sinceMs: number } | undefined;
  /** The agent is saying goodbye or has said it; the call is hung up after that, unless the caller says more. */
  parting: { readonly reason: EndReason; readonly hangsUpAtMs: number | undefined } | undefined;
  transferTo: string | undefined;
  drainsSinceMs: number | undefined;
  /** The answer for which fillers were said, how many, and when the last one began. */
  bridged: { readonly answer: number; readonly times: number; readonly atMs: number } | undefined;
  /** Whether the agent had the floor when the call ended, or when its farewell began. */
  hadFloor = false;
  /** Texts that wait for an answer. */
  readonly typed: string[];
  /** How many texts are left unanswered by the end. */
  lastTexts = 0;
  /** After the end: what was said last is known. */
  isWritten = false;
  /** When the last key of an entry was pressed that is not complete. */
  keyAtMs: number | undefined;
  /** The last utterance whose start was reported to the client. */
  announced = 0;

  constructor(
    readonly settings: SessionSettings,
    readonly rules: SessionRules,
  ) {
    this.language = settings.language;
    this.usualPauseMs = settings.usualPauseMs;
    this.learnedPauseMs = settings.usualPauseMs ?? 0;
    this.asked = settings.asked ?? '';
    this.typed = [...(settings.waiting ?? [])];
    const { sampleRate, hasMarks, interruption } = settings;
    this.output = new Output({ sampleRate, hasMarks, isQuick: suspectedIn(interruption) === 'sound' });
  }

  /** Whether the conversation ends with what is being said, so that nothing may be added. */
  get isLeaving(): boolean {
    return this.closing !== undefined || this.parting !== undefined || this.transferTo !== undefined;
  }

  /** The pause that is waited for by what is known of this caller. */
  get patienceMs(): number | undefined {
    return Math.max(this.usualPauseMs ?? 0, this.learnedPauseMs) || undefined;
  }

  /** How many transcripts were requested that have not arrived. */
  get finishesMissing(): number {
    return this.finishesAskedMs.length - this.finishesHeard;
  }

  /** What the caller says, until this moment if it is over, is answered once the agent has finished, after what was typed before. */
  deferTurn(voiceEndMs?: number): void {
    if (!this.deferred) this.deferredBehind = this.typed.length;
    this.deferred ??= this.newTurn();
    this.deferredVoiceEndMs = voiceEndMs;
  }

  /** A text waits, behind what was said before. */
  wait(text: string): void {
    this.typed.push(text);
    const { deferred, deferredVoiceEndMs } = this;
    const isNothing = deferredVoiceEndMs !== undefined && deferred?.text === '' && deferred.isTranscribed(deferredVoiceEndMs);
    if (isNothing) this.deferredBehind = this.typed.length;
  }

  /** The text that has waited longest. */
  takeTyped(): string {
    this.deferredBehind = Math.max(0, this.deferredBehind - 1);
    return this.typed.shift() ?? '';
  }

  /**
   * A turn of which nothing was said before this moment. Live recognition may still finish the words of an earlier turn, which was
   * answered with a partial transcript of them; what other recognition still has to transcribe was never answered.
   */
  newTurn(): CallerTurn {
    return new CallerTurn(this.writesLive ? this.finishesAskedMs.length : this.finishesHeard);
  }

  /** Whether the transcript of what was said until then was requested. */
  isFinishAsked(untilMs: number): boolean {
    return this.finishAskedMs >= untilMs;
  }

  /** When a transcript was last requested. */
  get finishAskedMs(): number {
    return this.finishesAskedMs.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  noteFinish(afterTurns: number | undefined): void {
    if (afterTurns !== undefined) this.finishesHeard = Math.max(this.finishesHeard, afterTurns + 1);
  }

  /** When the transcript was requested that this many others precede. */
  finishAskedAtMs(afterTurns: number | undefined): number | undefined {
    return afterTurns === undefined ? undefined : this.finishesAskedMs[afterTurns];
  }

  do(action: SessionAction): void {
    if (action.kind === 'finish-turn') this.finishesAskedMs.push(this.nowMs);
    this.actions.push(action);
  }

  /** Asks recognition that transcribes at pauses for what it has heard so far. */
  askForGuess(): void {
    this.turn.guessAskedAtMs = this.nowMs;
    this.do({ kind: 'guess-now' });
  }

  tell(frame: ServerFrame): void {
    this.do({ kind: 'tell', frame });
  }

  warn(code: SocketWarning, message: string): void {
    this.tell({ type: 'warning', code, message });
  }

  tellFailure(code: FaultCode, message?: string): void {
    const fault = new Fault(code, message === undefined ? {} : { message });
    const { status: statusCode } = fault;
    const about = { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', code, message: fault.message };
    this.tell({ type: 'error', ...about, details: [], requestId: this.settings.sessionUUID });
  }

  enter(state: SessionState): void {
    this.state = state;
  }

  listen(): void {
    this.quietSinceMs = this.nowMs;
    this.enter({ kind: 'listening', sinceMs: this.nowMs });
  }

  /** Nothing was said, so the silence counts from when it began. */
  listenOn(): void {
    this.enter({ kind: 'listening', sinceMs: this.quietSinceMs });
  }

  hearCaller(): void {
    this.enter({ kind: 'user-speaking', sinceMs: this.nowMs });
  }
}

/** An id for something the agent says unasked. A replay of the session produces the same ids. */
export function lineUUID(talk: Talk): string {
  const hex = createHash('sha256').update(`${talk.settings.sessionUUID}/${++talk.linesSaid}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

interface SayOptions {
  readonly purpose?: Purpose;
  /** It cannot be interrupted. */
  readonly isProtected?: boolean;
}

/** Says something unasked, such as a greeting or a prompt, after the current utterance. An empty text is ignored. */
export function say(talk: Talk, text: string, { purpose = 'line', isProtected = false }: SayOptions = {}): void {
  const sentences = sentencesOf(text);
  const utterance = sentences.length > 0 ? talk.output.open({ purpose, turnUUID: lineUUID(talk), isProtected }) : undefined;
  if (!utterance) return;
  for (const sentence of sentences) talk.output.add(utterance, sentence);
  utterance.isComplete = true;
  if (purpose === 'line') talk.tell({ type: 'agent.delta', text });
  if (talk.state.kind === 'listening') talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
}

/** Announces the recording, if there is one, then greets. */
export function greet(talk: Talk): void {
  say(talk, talk.settings.consentLine, { isProtected: true });
  say(talk, talk.settings.greeting);
  talk.asked = talk.settings.greeting || talk.asked;
}

const keptEveryMs = 2000;
/** While a complete text is spoken, an update is mostly followed by another soon: that all of it was heard. */
const keptEveryMsDone = 4000;

/** Stores the latency once the first sound has been played and the generator has reported its own figures. */
export function keepLatency(talk: Talk, answer: OpenAnswer): void {
  const { clock, done, turnUUID } = answer;
  if (answer.isLatencyKept || !turnUUID || !done || clock?.firstPlayedAtMs === undefined) return;
  answer.isLatencyKept = true;
  talk.do({ kind: 'keep-latency', turn: { turnUUID, latency: partsOf(clock, done.latency.retrievalMs) } });
}

/** Stores in history how much of an answer was heard. */
export function keepHeard(talk: Talk, { turnUUID, utterance }: Pick<OpenAnswer, 'turnUUID' | 'utterance'>): void {
  if (turnUUID === undefined) return;
  talk.do({ kind: 'keep-heard', heard: { turnUUID, ...heardIn(talk, utterance?.sent ?? 0, utterance) } });
}

/**
 * Stores the heard part of an answer every few seconds while it is spoken, in case this process dies. The question of an answer that
 * was begun before the turn was over is stored with the first part, as soon as it is certain.
 */
export function keepSoFar(talk: Talk, answer: OpenAnswer): void {
  const { turnUUID, question, utterance, done, keptAtMs } = answer;
  if (turnUUID === undefined || talk.nowMs < keptAtMs + (done ? keptEveryMsDone : keptEveryMs)) return;
  answer.keptAtMs = talk.nowMs;
  // The end of its generator stored the question, and an answer of which nothing was heard.
  if (done && keptAtMs === Number.NEGATIVE_INFINITY) return;
  const samples = talk.output.current === utterance ? talk.output.heard(talk.nowMs) : 0;
  const heard = heardIn(talk, samples, utterance);
  if (heard.heardText === '' && keptAtMs !== Number.NEGATIVE_INFINITY) return;
  talk.do({
    kind: 'keep-heard-so-far',
    heard: { turnUUID, ...heard, soFar: { question, isDone: done !== undefined, isAll: false } },
  });
}

/** All of an answer was heard, which until now counts in history only as far as the last update tells. */
export function keepAll(talk: Talk, { turnUUID, done, question, text, utterance }: OpenAnswer): void {
  if (turnUUID === undefined || !done) return;
  const { playedMs } = heardIn(talk, utterance?.sent ?? 0, utterance);
  const soFar = { question, isDone: true, isAll: true };
  talk.do({ kind: 'keep-heard-so-far', heard: { turnUUID, heardText: text, playedMs, soFar } });
}

function heardIn({ settings }: Talk, samples: number, utterance: Utterance | undefined) {
  const heardText = heardTextOf(utterance?.pieces ?? [], samples, settings.sampleRate);
  return { heardText, playedMs: Math.round((samples * 1000) / settings.sampleRate) };
}
