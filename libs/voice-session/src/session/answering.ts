import { OpenAnswer, heardTextOf, partsOf, type TurnClock } from './answer';
import { isSameQuestion } from './caller-turn';
import { close } from './ending';
import type { AnswerEvent, SessionEvent } from './events';
import { keepAll, keepHeard, keepLatency, keepSoFar, lineUUID, say, type Talk } from './talk';

const answerLengthMax = 20_000;

type Failure = Extract<SessionEvent, { kind: 'answer-failed' }>;
type Closed = Omit<TurnClock, 'askedAtMs'>;

/** Starts an answer speculatively. Nothing of it is reported or spoken until the turn is over. */
export function speculate(talk: Talk, question: string): void {
  talk.turn.speculations++;
  talk.answer = ask(talk, question, true);
}

/** The turn is over: starts its answer, or adopts the speculative one if it answers the same question. */
export function answerTurn(talk: Talk, question: string, closed: Closed): void {
  const begun = talk.answer;
  const isRight = begun !== undefined && isSameQuestion(begun.question, question);
  if (!isRight) discardSpeculation(talk);
  const answer = isRight ? begun : ask(talk, question, false);
  answer.clock = { ...closed, askedAtMs: answer.askedAtMs };
  answer.clock.firstTokenAtMs = answer.firstTokenAtMs;
  talk.answer = answer;
  talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
  for (const step of answer.withheld.splice(0)) applyStep(talk, answer, step);
  if (talk.answer === answer) keepSoFar(talk, answer);
}

/** Drops the speculative answer, without a trace in history, because the caller continues. */
export function discardSpeculation(talk: Talk): void {
  if (!talk.answer?.isSpeculative) return;
  talk.do({ kind: 'discard', answer: talk.answer.id });
  talk.answer = undefined;
}

/** Handles one step of an answer; steps of abandoned answers are ignored. */
export function answered(talk: Talk, id: number, step: AnswerEvent): void {
  const { answer } = talk;
  if (answer?.id !== id || answer.isOver) return;
  answer.lastStepMs = talk.nowMs;
  if (step.kind === 'begun') answer.turnUUID = step.turnUUID;
  if (step.kind === 'delta') answer.firstTokenAtMs ??= talk.nowMs;
  if (answer.clock) applyStep(talk, answer, step);
  else if (step.kind !== 'begun') answer.withheld.push(step);
}

/** The caller has heard all of an answer, or nothing of it can be heard. */
export function finishAnswer(talk: Talk, answer: OpenAnswer): void {
  const { clock, done, utterance, turnUUID = lineUUID(talk) } = answer;
  talk.answer = undefined;
  talk.lostAnswers = 0;
  keepLatency(talk, answer);
  if (answer.isIncomplete) keepHeard(talk, answer);
  else keepAll(talk, answer);
  if (!done || !clock) return;
  const latency = partsOf(clock, done.latency.retrievalMs);
  const { sampleRate } = talk.settings;
  const text = answer.isIncomplete ? heardTextOf(utterance?.pieces ?? [], utterance?.sent ?? 0, sampleRate) : answer.text;
  talk.tell({ type: 'agent.done', turnUUID, text, usage: done.usage, latency });
  if (text) talk.asked = text;
  if (done.wantsToEnd) talk.parting ??= { reason: 'ENDED_BY_AGENT', hangsUpAtMs: undefined };
  talk.transferTo ??= done.transferTo;
}

function ask(talk: Talk, question: string, isSpeculative: boolean): OpenAnswer {
  const answer = new OpenAnswer(++talk.answersAsked, question, talk.nowMs);
  // Asked for certain, the question is stored before its answer is begun.
  if (!isSpeculative) answer.keptAtMs = talk.nowMs;
  const language = talk.turn.language ?? talk.language;
  talk.do({ kind: 'answer', answer: answer.id, question, language, isSpeculative, usualPauseMs: talk.patienceMs });
  return answer;
}

function applyStep(talk: Talk, answer: OpenAnswer, step: AnswerEvent): void {
  if (step.kind === 'begun') return keepSoFar(talk, answer);
  if (step.kind === 'delta') return addText(talk, answer, step.text);
  if (step.kind !== 'done') return;
  answer.done = step;
  if (step.language) talk.language = step.language;
  keepLatency(talk, answer);
  complete(talk, answer);
}

function addText(talk: Talk, answer: OpenAnswer, text: string): void {
  if (answer.clock) answer.clock.firstTokenAtMs ??= answer.firstTokenAtMs;
  answer.text += text;
  talk.tell({ type: 'agent.delta', text });
  speak(talk, answer, answer.chunks.push(text));
  if (answer.text.length <= answerLengthMax) return;
  talk.do({ kind: 'stop-answer', answer: answer.id });
  talk.warn('ANSWER_CUT', 'The answer was too long and has been cut off.');
  answer.isIncomplete = true;
  complete(talk, answer);
}

function speak(talk: Talk, answer: OpenAnswer, chunks: readonly string[]): void {
  if (chunks.length === 0) return;
  answer.utterance ??= talk.output.open({ purpose: 'answer', turnUUID: answer.turnUUID ?? lineUUID(talk), isProtected: false });
  const isRoom = chunks.every((chunk) => answer.utterance && talk.output.add(answer.utterance, chunk));
  if (!isRoom) answer.isIncomplete = true;
}

/** The text is complete. If it is empty, the agent apologizes and asks the caller to repeat the question. */
function complete(talk: Talk, answer: OpenAnswer): void {
  speak(talk, answer, answer.chunks.flush());
  answer.isOver = true;
  if (answer.utterance) {
    answer.utterance.isComplete = true;
    return;
  }
  finishAnswer(talk, answer);
  if (!talk.isLeaving) say(talk, talk.settings.lines.apology);
}

/** The generator failed: reports it to the client, apologizes aloud, and the call continues. */
export function answerFailed(talk: Talk, { answer: id, code, message }: Omit<Failure, 'kind' | 'nowMs'>): void {
  const { answer } = talk;
  if (answer?.id !== id || answer.isOver) return;
  if (answer.isSpeculative) {
    talk.answer = undefined;
    return;
  }
  talk.tellFailure(code, message);
  if (code === 'CREDITS_EXHAUSTED') return close(talk, 'CREDITS_EXHAUSTED', talk.settings.lines.creditsExhausted);
  answer.isOver = true;
  // What is heard of it is all that history keeps.
  answer.isIncomplete = true;
  if (answer.utterance) answer.utterance.isComplete = true;
  else talk.answer = undefined;
  say(talk, talk.settings.lines.apology);
}
