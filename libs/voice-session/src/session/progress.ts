import { finishAnswer } from './answering';
import { CallerTurn } from './caller-turn';
import { dropUnheard, end, forget } from './ending';
import { interruptionDueMs, stopForVoice, suspicionDueMs, voiceDueMs, weighInterruption } from './interruption';
import { limitDueMs, meetLimit } from './limits';
import { advancePause, beginPause, closeTyped, pauseDueMs } from './pausing';
import { say } from './saying';
import { nextStep } from './silence';
import type { Talk } from './talk';
import type { Utterance } from './utterance';

const never = Number.POSITIVE_INFINITY;
/** A line that nobody asked for was not waited for. */
const noLatency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: null,
  firstTokenMs: null,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 0,
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
  if (state.kind === 'ended' || state.kind === 'held') return never;
  const dues = [talk.output.dueMs(talk.nowMs), limitDueMs(talk)];
  if (state.kind === 'pausing') dues.push(pauseDueMs(talk, state));
  if (state.kind === 'interrupted') dues.push(voice ? interruptionDueMs(talk, voice) : suspicionDueMs(talk));
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
  if (answer && answer.utterance === utterance) {
    finishAnswer(talk, answer);
    if (utterance.sent === 0 && utterance.pieces.some(({ hasFailed }) => hasFailed)) apologize(talk);
  } else if (utterance.about.purpose === 'line') tellLineDone(talk, utterance);
  if (!talk.output.current) takeNext(talk);
  return true;
}

/** Nothing of the answer could be made audible. The voice may have found itself again by now. */
function apologize(talk: Talk): void {
  talk.tellFailure('SPEECH_PROVIDER_UNAVAILABLE');
  if (!talk.closing && talk.transferTo === undefined) say(talk, talk.settings.lines.apology);
}

/** Whether the line is given away once this has been heard. */
function isLast({ closing, transferTo, answer }: Talk): boolean {
  return closing !== undefined || (transferTo ?? answer?.done?.transferTo) !== undefined || Boolean(answer?.done?.wantsToEnd);
}

/** Whoever has the floor after the agent. */
function takeNext(talk: Talk): true {
  if (talk.answer) talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
  else if (talk.transferTo !== undefined) transfer(talk, talk.transferTo);
  else if (talk.closing) end(talk, talk.closing.reason);
  else if (talk.typed.length > 0) closeTyped(talk, talk.typed.shift() ?? '');
  else if (talk.later) answerLater(talk, talk.later);
  else talk.listen();
  return true;
}

/** What was said while nobody might interrupt is the caller's turn now, whether it has ended or goes on. */
function answerLater(talk: Talk, said: CallerTurn): void {
  const { voice, laterEndMs, nowMs } = talk;
  talk.later = undefined;
  talk.laterEndMs = undefined;
  talk.listen();
  talk.turn = new CallerTurn();
  if (said.text !== '' && talk.rules.isBackchannel(said.text, said.language ?? talk.language)) said = new CallerTurn();
  if (voice && voice.endMs === undefined) {
    talk.voice = { ...voice, heed: 'voice' };
    talk.turn = said;
    talk.hearCaller();
  } else if (said.text !== '' || !said.isSettled(laterEndMs ?? nowMs)) {
    talk.turn = said;
    // It was asked for when the voice ended.
    said.isTranscriptionAsked = true;
    beginPause(talk, laterEndMs ?? nowMs);
  }
}

/** The caller is given away once the sentence being heard is over; at once where none is. */
export function transferSoon(talk: Talk, to: string): void {
  if (talk.closing || talk.state.kind === 'held') return;
  talk.transferTo = to;
  dropUnheard(talk);
  talk.voice = undefined;
  talk.output.resume();
  if (talk.output.current) talk.enter({ kind: 'speaking' });
  else transfer(talk, to);
}

/** Nobody took the caller: the agent says so and goes on. */
export function takeBack(talk: Talk): void {
  if (talk.state.kind !== 'held') return;
  talk.output.resume();
  talk.listen();
  say(talk, talk.settings.lines.notTransferred);
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
