import { answerFailed, finishAnswer } from './answering';
import { CallerTurn } from './caller-turn';
import { forget } from './cut-off';
import { close, end } from './ending';
import { interruptionDueMs, stopForVoice, voiceDueMs, weighInterruption } from './interruption';
import { advancePause, closeTyped, pauseDueMs } from './pausing';
import { say } from './saying';
import { nextStep } from './silence';
import type { Talk } from './talk';
import type { Utterance } from './utterance';

const never = Number.POSITIVE_INFINITY;
/** A mind that has not said a word for so long will not, and a voice neither. */
const answerStallMs = 30_000;
const soundStallMs = 10_000;
/** How long a polite end may take. */
const closingMsMax = 30_000;
const drainMsMax = 60_000;

/** A line that nobody asked for was not waited for. */
const noLatency = {
  endOfTurnMs: null, transcriptionMs: null, retrievalMs: null, firstTokenMs: null, firstAudioMs: null, pacingMs: null, totalMs: 0,
};

/** Does one thing that is due. False when nothing is. */
export function advance(talk: Talk): boolean {
  const { state } = talk;
  if (state.kind === 'ended' || state.kind === 'held') return false;
  const finished = talk.output.finished(talk.nowMs, isLast(talk));
  if (finished) return heardOut(talk, finished);
  if (talk.nowMs >= limitDueMs(talk)) return meetLimit(talk);
  if (state.kind === 'pausing') return advancePause(talk, state);
  if (state.kind === 'interrupted') return weighInterruption(talk, state.from);
  if (state.kind === 'thinking' || state.kind === 'speaking') return advanceAgent(talk, state.kind);
  return nextStep(talk).run(talk);
}

/** When to look again if nothing happens until then. */
export function nextWakeMs(talk: Talk): number {
  const { state, voice } = talk;
  if (state.kind === 'ended') return never;
  const dues = [talk.output.dueMs(talk.nowMs), limitDueMs(talk)];
  if (state.kind === 'pausing') dues.push(pauseDueMs(talk, state));
  if (state.kind === 'interrupted' && voice) dues.push(interruptionDueMs(talk, voice));
  if (state.kind === 'thinking' || state.kind === 'speaking') dues.push(voiceDueMs(talk), fillerDueMs(talk));
  if (state.kind === 'listening' || state.kind === 'user-speaking') dues.push(nextStep(talk).dueMs);
  return Math.min(...dues);
}

/** The agent thinks or speaks: a voice may silence it, or the silence may have lasted too long. */
function advanceAgent(talk: Talk, from: 'thinking' | 'speaking'): boolean {
  if (talk.nowMs >= voiceDueMs(talk)) {
    stopForVoice(talk, from);
    return true;
  }
  if (!talk.answer && !talk.output.current) return takeNext(talk);
  if (talk.nowMs < fillerDueMs(talk)) return false;
  const { fillers } = talk.settings;
  say(talk, fillers[talk.turnsClosed % fillers.length] ?? '', { purpose: 'filler' });
  talk.fillerOf = talk.answer?.id;
  return true;
}

function fillerDueMs({ state, answer, settings, fillerOf, output }: Talk): number {
  if (state.kind !== 'thinking' || !answer || settings.fillers.length === 0) return never;
  if (fillerOf === answer.id || output.current?.sent) return never;
  return state.sinceMs + settings.fillerAfterMs;
}

/** An utterance has been heard to its end. */
function heardOut(talk: Talk, utterance: Utterance): true {
  forget(talk, utterance);
  const { answer } = talk;
  if (answer && answer.utterance === utterance) finishAnswer(talk, answer);
  else if (utterance.about.purpose === 'line') tellLineDone(talk, utterance);
  if (!talk.output.current) takeNext(talk);
  return true;
}

/** Whether the line is given away once this has been heard. */
function isLast({ closing, transferTo, answer }: Talk): boolean {
  return closing !== undefined || (transferTo ?? answer?.done?.transferTo) !== undefined || Boolean(answer?.done?.wantsToEnd);
}

/** Whoever has the floor after the agent. */
function takeNext(talk: Talk): true {
  const typed = talk.typed.shift();
  if (talk.answer) talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
  else if (talk.transferTo !== undefined) transfer(talk, talk.transferTo);
  else if (talk.closing) end(talk, talk.closing.reason);
  else if (typed !== undefined) closeTyped(talk, typed);
  else if (talk.voice && talk.voice.endMs === undefined) hearOn(talk);
  else talk.listen();
  return true;
}

/** A voice that might not interrupt has gone on until the agent was done: it is the caller's turn now. */
function hearOn(talk: Talk): void {
  if (talk.voice) talk.voice = { ...talk.voice, isIgnored: false };
  talk.turn = new CallerTurn();
  talk.enter({ kind: 'user-speaking' });
}

function transfer(talk: Talk, to: string): void {
  talk.transferTo = undefined;
  talk.closing = undefined;
  talk.do({ kind: 'transfer', to });
  talk.enter({ kind: 'held', from: 'listening' });
}

function tellLineDone(talk: Talk, { about, pieces }: Utterance): void {
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  const text = pieces.map((piece) => piece.text).join(' ');
  talk.tell({ type: 'agent.done', turnUUID: about.turnUUID, text, usage, latency: noLatency });
}

function limitDueMs(talk: Talk): number {
  const { closing, answer, settings, drainsSinceMs } = talk;
  if (closing) return closing.sinceMs + closingMsMax;
  const stallMs = answer && !answer.isOver ? answer.lastStepMs + answerStallMs : never;
  const drainMs = drainsSinceMs === undefined ? never : drainsSinceMs + drainMsMax;
  return Math.min(settings.maxCallMs - (settings.elapsedMs ?? 0), stallMs, soundStallDueMs(talk), drainMs);
}

function soundStallDueMs({ output }: Talk): number {
  const piece = output.current?.soon.find(({ isMade, askedAtMs }) => askedAtMs !== undefined && !isMade);
  return piece?.lastSoundMs === undefined ? never : piece.lastSoundMs + soundStallMs;
}

function meetLimit(talk: Talk): true {
  const { closing, answer, settings, nowMs, drainsSinceMs } = talk;
  if (closing) end(talk, closing.reason);
  else if (drainsSinceMs !== undefined && nowMs >= drainsSinceMs + drainMsMax) end(talk, 'DRAINED');
  else if (nowMs >= soundStallDueMs(talk)) giveUpSound(talk);
  else if (nowMs >= settings.maxCallMs - (settings.elapsedMs ?? 0)) close(talk, 'MAX_DURATION', settings.lines.timeIsUp);
  else if (answer) {
    talk.do({ kind: 'stop-answer', answer: answer.id });
    answerFailed(talk, { answer: answer.id, code: 'DEADLINE_EXCEEDED', message: 'The answer did not come in time.' });
  }
  return true;
}

function giveUpSound(talk: Talk): void {
  const piece = talk.output.current?.soon.find(({ isMade }) => !isMade);
  if (piece) soundFailed(talk, piece.id, 'The voice did not speak in time.');
}

/** A sentence could not be spoken. The others still are; when nothing is left, the caller is told aloud. */
export function soundFailed(talk: Talk, id: number, message: string): void {
  const piece = talk.output.piece(id);
  if (!piece || piece.isMade) return;
  piece.isMade = true;
  piece.hasFailed = true;
  talk.do({ kind: 'forget', piece: id });
  talk.warn('SPEECH_PROVIDER_UNAVAILABLE', message);
  if (talk.answer?.utterance?.pieces.includes(piece)) talk.answer.isIncomplete = true;
}
