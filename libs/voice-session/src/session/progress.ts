import { answerFailed, finishAnswer } from './answering';
import type { CallerTurn } from './caller-turn';
import { close, dropUnheard, end, forget } from './ending';
import { interruptionDueMs, isVoiceDoubted, stopForVoice, suspicionDueMs, voiceDueMs, judgeInterruption } from './interruptions';
import { advancePause, askToRepeat, beginPause, closeTyped, pauseDueMs } from './pausing';
import { heardTextOf, type OpenAnswer } from './answer';
import type { Utterance } from './utterance';
import { hasIdleLines } from './settings';
import { say, type Talk } from './talk';

const never = Number.POSITIVE_INFINITY;
/** What the agent says unasked has no latency. */
const noLatency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: null,
  firstTokenMs: null,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 0,
};

/** Takes one step that is due. False if none is. */
export function advance(talk: Talk): boolean {
  const { state } = talk;
  if (state.kind === 'ended' || state.kind === 'held') return false;
  const finished = talk.output.finished(talk.nowMs, isLast(talk));
  if (finished) return finishUtterance(talk, finished);
  if (talk.nowMs >= limitDueMs(talk)) return enforceLimit(talk);
  if (state.kind === 'pausing') return advancePause(talk, state);
  if (state.kind === 'interrupted') return judgeInterruption(talk, state.from);
  if (state.kind === 'thinking' || state.kind === 'speaking') return advanceAgent(talk, state.kind);
  return nextStep(talk).run(talk);
}

/** When `advance` is next needed if no event arrives before. */
export function nextWakeMs(talk: Talk): number {
  const { state, voice } = talk;
  if (state.kind === 'ended' || state.kind === 'held') return never;
  const dues = [talk.output.dueMs(talk.nowMs), limitDueMs(talk)];
  if (state.kind === 'pausing') dues.push(pauseDueMs(talk, state));
  if (state.kind === 'interrupted') dues.push(voice ? interruptionDueMs(talk, voice) : suspicionDueMs(talk));
  if (state.kind === 'thinking' || state.kind === 'speaking')
    dues.push(voiceDueMs(talk), fillerDueMs(talk), overhearStep(talk).dueMs);
  if (state.kind === 'listening' || state.kind === 'user-speaking') dues.push(nextStep(talk).dueMs);
  return Math.min(...dues);
}

/** While the agent thinks or speaks, a voice may silence it, or a filler may be due. */
function advanceAgent(talk: Talk, from: 'thinking' | 'speaking'): boolean {
  if (talk.nowMs >= voiceDueMs(talk)) {
    stopForVoice(talk, from);
    return true;
  }
  if (overhearStep(talk).run(talk)) return true;
  if (!talk.answer && !talk.output.current) return takeNext(talk);
  if (!talk.answer || talk.nowMs < fillerDueMs(talk)) return false;
  sayFiller(talk, talk.answer);
  return true;
}

/** When a filler is due, before an answer or within one: no later than an idle prompt would be. */
function fillerDueMs({ state, answer, settings, bridged, output }: Talk): number {
  if (!answer) return never;
  const { fillers, fillerAfterMs, idle } = settings;
  const isBridged = bridged?.answer === answer.id;
  const waitMs = state.kind === 'thinking' && fillers.length > 0 && !isBridged ? fillerAfterMs : idle.afterMs;
  return Math.max(quietSinceMs({ state, answer, output }), isBridged ? bridged.atMs : 0) + waitMs;
}

/** When the caller last heard anything while an answer is open; infinite while something is being said. */
function quietSinceMs({ state, answer, output }: Pick<Talk, 'state' | 'answer' | 'output'>): number {
  if (state.kind === 'speaking' && output.current === answer?.utterance) return output.ranDryAtMs;
  return state.kind === 'thinking' && !output.current?.sent ? state.sinceMs : never;
}

/** Says a filler before the answer, or as an aside within it. */
function sayFiller(talk: Talk, { id, utterance }: OpenAnswer): void {
  const { settings, output, turnsClosed, bridged, nowMs } = talk;
  const times = bridged?.answer === id ? bridged.times : 0;
  const text = settings.fillers[(turnsClosed + times) % settings.fillers.length] ?? settings.lines.oneMoment;
  if (utterance?.sent) output.add(utterance, text, { isAside: true });
  else say(talk, text, { purpose: 'filler' });
  talk.bridged = { answer: id, times: times + 1, atMs: nowMs };
}

/** The caller has heard an utterance to its end. */
function finishUtterance(talk: Talk, utterance: Utterance): true {
  forget(talk, utterance);
  talk.saidBefore = heardTextOf(utterance.pieces, utterance.sent, talk.settings.sampleRate);
  const { answer } = talk;
  if (answer && answer.utterance === utterance) {
    finishAnswer(talk, answer);
    if (utterance.sent === 0 && utterance.pieces.some(({ hasFailed }) => hasFailed)) apologize(talk);
  } else if (utterance.about.purpose === 'line') tellLineDone(talk, utterance);
  if (!talk.output.current) takeNext(talk);
  return true;
}

/** Nothing of the answer could be synthesized. The voice may work again by now, so the apology is tried. */
function apologize(talk: Talk): void {
  talk.tellFailure('SPEECH_PROVIDER_UNAVAILABLE');
  if (!talk.isLeaving) say(talk, talk.settings.lines.apology);
}

/** Whether the call ends or is transferred after the current utterance. */
function isLast({ isLeaving, answer }: Talk): boolean {
  return isLeaving || answer?.done?.transferTo !== undefined || Boolean(answer?.done?.wantsToEnd);
}

/** Decides what follows once the agent has nothing more to say. */
function takeNext(talk: Talk): true {
  if (talk.answer) talk.enter({ kind: 'thinking', sinceMs: talk.nowMs });
  else if (talk.transferTo !== undefined) transfer(talk, talk.transferTo);
  else if (talk.closing) end(talk, talk.closing.reason);
  else giveFloor(talk);
  return true;
}

/** How long the line stays open after a goodbye: a voice is noticed up to a fifth of a second after it began. */
const lastVoiceMs = 450;

/** Answers what the caller said or typed meanwhile, in that order, or listens. */
function giveFloor(talk: Talk): void {
  const { voice, typed, deferred, deferredBehind } = talk;
  if (talk.parting) talk.parting = { ...talk.parting, hangsUpAtMs: talk.nowMs + Math.max(lastVoiceMs, missingWordsMs(talk)) };
  if (deferred && deferredBehind === 0) return answerDeferred(talk, deferred);
  if (typed.length > 0) return closeTyped(talk, talk.takeTyped());
  talk.listen();
  if (talk.hasMissedVoice && voice?.endMs !== undefined) talk.voice = undefined;
  if (talk.hasMissedVoice && !talk.voice) return askToRepeat(talk);
  if (voice?.attention === 'voice' && voice.endMs === undefined) talk.hearCaller();
}

/** How long the transcript of a short voice may still be missing for which the agent fell silent. */
function missingWordsMs(talk: Talk): number {
  const { voice, turn, nowMs } = talk;
  return voice?.endMs === undefined || turn.isTranscribed(voice.endMs) ? 0 : interruptionDueMs(talk, voice) - nowMs;
}

/** What the caller said while interruption was not allowed becomes their turn now, whether they have finished or not. */
function answerDeferred(talk: Talk, said: CallerTurn): void {
  const { voice, deferredVoiceEndMs, nowMs } = talk;
  talk.deferred = undefined;
  talk.deferredVoiceEndMs = undefined;
  talk.listen();
  talk.turn = talk.newTurn();
  const isWritten = said.isTranscribed(deferredVoiceEndMs ?? nowMs);
  if (said.text !== '' && talk.rules.isBackchannel(said.text, said.language ?? talk.language)) said = said.restarted();
  if (voice && voice.endMs === undefined) {
    talk.voice = { ...voice, attention: 'voice' };
    talk.turn = said;
    talk.hearCaller();
  } else if (said.text !== '' || !isWritten) {
    talk.turn = said;
    beginPause(talk, deferredVoiceEndMs ?? nowMs);
  }
}

/** Transfers the caller after the current sentence, or at once if there is none. */
export function transferSoon(talk: Talk, to: string): void {
  if (talk.closing || talk.state.kind === 'held') return;
  talk.transferTo = to;
  dropUnheard(talk);
  talk.voice = undefined;
  talk.output.resume();
  if (talk.output.current) talk.enter({ kind: 'speaking' });
  else transfer(talk, to);
}

/** The transfer was not answered: the agent says so and continues. */
export function transferFailed(talk: Talk): void {
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

/** After this long without a word, voices count as noise, and what was said before them is answered. */
const wordlessMs = 2500;
/** The same for a turn that began among such voices. */
const amongVoicesMs = 1500;
/** But not before a voice has lasted this long, or several together: a caller who begins to speak again has said nothing yet. */
const wordlessVoiceMs = 1500;
/** Nor before the present voice has lasted this long. */
const resumedMs = 400;
/** How long a voice that does not silence the agent may last before its words are asked for. */
const doubtedMs = 1000;

interface Step {
  readonly dueMs: number;
  run(talk: Talk): boolean;
}

const nothing: Step = { dueMs: Number.POSITIVE_INFINITY, run: () => false };

/**
 * What is due while the agent is silent: a text that waits, hanging up, an idle prompt, handing the session over when draining, or
 * dismissing a noise.
 */
function nextStep(talk: Talk): Step {
  const { state } = talk;
  if (state.kind === 'user-speaking') return wordlessStep(talk, state.sinceMs);
  if (state.kind !== 'listening') return nothing;
  const { parting, typed } = talk;
  const keyedMs = keyedDueMs(talk);
  if (typed.length > 0) return due(keyedMs, () => closeTyped(talk, talk.takeTyped()));
  if (parting) {
    const [hangUp, overhear] = [hangUpStep(talk, parting, keyedMs), overhearStep(talk)];
    return overhear.dueMs < hangUp.dueMs ? overhear : hangUp;
  }
  if (talk.drainsSinceMs !== undefined) return due(keyedMs, () => end(talk, 'DRAINED'));
  const [idle, overhear] = [idleStep(talk, state.sinceMs), overhearStep(talk)];
  return overhear.dueMs < idle.dueMs ? overhear : idle;
}

/** Nobody is hung up on whose words may come: they were asked for, or a voice goes on of which nothing is known. */
function hangUpStep(talk: Talk, { reason, hangsUpAtMs = talk.nowMs }: NonNullable<Talk['parting']>, keyedMs: number): Step {
  const { voice, turn, writesLive } = talk;
  const { guessedUntilMs = Number.NEGATIVE_INFINITY } = turn;
  const isUnknown = !writesLive && voice?.endMs === undefined && voice && guessedUntilMs < voice.startMs + wordlessVoiceMs;
  const heardMs = isUnderWay(talk) ? unheardMsMax : isUnknown ? heardOutMs : 0;
  return due(Math.max(hangsUpAtMs + heardMs, keyedMs), () => end(talk, reason));
}

/** A little more than an entry of keys waits for the next one. */
const entryMsMax = 3500;

/** When what the caller keys in is complete at the latest. */
function keyedDueMs({ keyAtMs, nowMs }: Talk): number {
  return keyAtMs === undefined ? nowMs : Math.max(nowMs, keyAtMs + entryMsMax);
}

function idleStep(talk: Talk, sinceMs: number): Step {
  const { afterMs, prompts, goodbye } = talk.settings.idle;
  if (!hasIdleLines(talk.settings.idle)) return nothing;
  return due(sinceMs + afterMs, () => {
    if (isUnderWay(talk)) talk.unheardSinceMs ??= talk.nowMs;
    // Whoever has just spoken, and is not transcribed yet, is not asked whether they are there.
    const { unheardSinceMs = Number.NEGATIVE_INFINITY, nowMs, settings } = talk;
    if (nowMs < unheardSinceMs + unheardMsMax) return say(talk, settings.lines.oneMoment);
    talk.unheardSinceMs = undefined;
    const prompt = prompts[talk.idleStep++];
    if (prompt === undefined) talk.parting = { reason: 'IDLE', hangsUpAtMs: undefined };
    say(talk, prompt ?? goodbye);
  });
}

/** Whether words may come that were asked for. */
function isUnderWay({ finishesMissing, writesLive }: Talk): boolean {
  return finishesMissing > 0 && !writesLive;
}

/** A safety limit: recognition reports sooner that it failed. */
const unheardMsMax = 30_000;

/** How long a voice is heard out whose words are late: longer than a recognizer that hangs is waited for before another has the sound. */
const heardOutMs = 12_000;

/**
 * Recognition that transcribes at pauses is asked for a partial transcript before a long voice is taken for noise. Voices that come and
 * go, as of other people, count together.
 */
function wordlessStep(talk: Talk, sinceMs: number): Step {
  const { turn, writesLive, settings } = talk;
  const lateMs = Math.max(heardOutMs, settings.idle.afterMs);
  if (turn.guessAskedAtMs !== undefined) return due(turn.guessAskedAtMs + lateMs, () => takeForNoise(talk));
  const { saidUntilMs = sinceMs, guessedUntilMs = Number.NEGATIVE_INFINITY } = turn;
  const isGuessed = writesLive || guessedUntilMs - saidUntilMs >= wordlessVoiceMs;
  const voicedMs = Math.max(sinceMs + wordlessVoiceMs - turn.wordlessMs, sinceMs + resumedMs);
  // A transcript that was requested may bring words of the voices before this one.
  if (isUnderWay(talk)) return due(sinceMs + lateMs, () => takeForNoise(talk));
  const waitMs = turn.isAmongVoices ? amongVoicesMs : wordlessMs;
  return due(Math.max(saidUntilMs + waitMs, voicedMs), () => {
    if (isGuessed) return takeForNoise(talk);
    talk.askForGuess();
  });
}

/**
 * Recognition that transcribes at pauses is asked every few seconds whether a voice that was taken for noise hides the caller's
 * words; sooner if it may be the caller's, and only no longer silences the agent.
 */
function overhearStep(talk: Talk): Step {
  const { voice, turn, writesLive, settings, state } = talk;
  if (writesLive || !voice || voice.endMs !== undefined || voice.attention === 'deferred') return nothing;
  const hasFloor = state.kind === 'thinking' || state.kind === 'speaking';
  if (voice.attention === 'voice' && !(hasFloor && isVoiceDoubted(talk))) return nothing;
  const { guessAskedAtMs, guessedUntilMs = voice.startMs } = turn;
  if (guessAskedAtMs !== undefined) return due(guessAskedAtMs + settings.idle.afterMs, () => talk.askForGuess());
  const isFirst = voice.attention === 'voice' && guessedUntilMs <= voice.startMs;
  return due(isFirst ? voice.startMs + doubtedMs : guessedUntilMs + wordlessMs, () => talk.askForGuess());
}

/** Answers what was said before the noise; if nothing was, the silence and its idle prompts continue. */
function takeForNoise(talk: Talk): void {
  const { turn, voice } = talk;
  // Recognition may only be slow: the caller is asked to wait, not whether they are there.
  if (turn.guessAskedAtMs !== undefined || isUnderWay(talk)) talk.unheardSinceMs ??= talk.nowMs;
  turn.guessAskedAtMs = undefined;
  if (voice) talk.voice = { ...voice, attention: 'words' };
  if (turn.saidUntilMs === undefined) return talk.listenOn();
  turn.isAmidNoise = true;
  beginPause(talk, turn.saidUntilMs);
}

function due(dueMs: number, act: () => void): Step {
  return {
    dueMs,
    run: ({ nowMs }) => {
      if (nowMs < dueMs) return false;
      act();
      return true;
    },
  };
}

/** After this long without output, the generator or the synthesizer is given up. */
const answerStallMs = 30_000;
const soundStallMs = 10_000;
/** How long the last sentence and the farewell may take. */
const closingMsMax = 30_000;
const drainMsMax = 60_000;

/** When the next time limit of the session is reached. */
function limitDueMs(talk: Talk): number {
  const { closing, answer, settings, drainsSinceMs } = talk;
  if (closing) return closing.sinceMs + closingMsMax;
  const stallMs = answer && !answer.isOver ? answer.lastStepMs + answerStallMs : never;
  const drainMs = drainsSinceMs === undefined ? never : drainsSinceMs + drainMsMax;
  return Math.min(settings.maxCallMs - (settings.elapsedMs ?? 0), stallMs, soundStallDueMs(talk), drainMs);
}

function soundStallDueMs({ output }: Talk): number {
  const piece = output.current?.upcoming.find(({ isMade, askedAtMs }) => askedAtMs !== undefined && !isMade);
  return piece?.lastSoundMs === undefined ? never : piece.lastSoundMs + soundStallMs;
}

/** Ends what has taken too long. */
function enforceLimit(talk: Talk): true {
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
  const piece = talk.output.current?.upcoming.find(({ isMade }) => !isMade);
  if (piece) soundFailed(talk, piece.id, 'The voice did not speak in time.');
}

/** A sentence could not be synthesized; the others are still spoken. */
export function soundFailed(talk: Talk, id: number, message: string): void {
  const piece = talk.output.piece(id);
  if (!piece || piece.isMade) return;
  piece.isMade = true;
  piece.hasFailed = true;
  talk.do({ kind: 'forget', piece: id });
  talk.warn('SPEECH_PROVIDER_UNAVAILABLE', message);
  if (talk.answer?.utterance?.pieces.includes(piece)) talk.answer.isIncomplete = true;
}
