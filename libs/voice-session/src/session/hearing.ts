import { isFarewell } from '../hearing/backchannels';
import type { HeardEvent } from '../hearing/heard';
import { type CallerTurn, wordCount } from './caller-turn';
import { close, cutOff } from './ending';
import { beginPause, endPause, hearProsody, judgeAgain, learnPause } from './pausing';
import type { Talk, VoiceSpan } from './talk';

type Words = Extract<HeardEvent, { kind: 'partial' | 'final' }>;

/** Handles the events of audio recognition. */
export function hear(talk: Talk, heard: HeardEvent): void {
  if (heard.kind === 'writing') talk.writesLive = heard.isLive;
  if (talk.state.kind === 'held' || talk.state.kind === 'ended' || talk.closing) return;
  if (heard.kind === 'voice-suspected') suspectVoice(talk);
  else if (heard.kind === 'voice-dismissed') talk.suspectedAtMs = undefined;
  else if (heard.kind === 'speech-started') voiceBegan(talk, heard.atMs);
  else if (heard.kind === 'speech-stopped') voiceEnded(talk, heard.atMs);
  else if (heard.kind === 'end-judged') hearProsody(talk, heard.soundsDone);
  else if (heard.kind === 'deaf') losesWords(talk, heard.code);
  else if (heard.kind === 'partial' || heard.kind === 'final') takeWords(talk, heard);
}

function voiceBegan(talk: Talk, startMs: number): void {
  const { state } = talk;
  talk.suspectedAtMs = undefined;
  const hasFloor = state.kind === 'thinking' || state.kind === 'speaking';
  const heed = hasFloor && !mayInterrupt(talk) ? 'later' : 'voice';
  const goesOn = talk.voice !== undefined && (state.kind === 'user-speaking' || state.kind === 'interrupted');
  talk.voice = { startMs: goesOn && talk.voice ? talk.voice.startMs : startMs, endMs: undefined, heed };
  if (heed === 'later') {
    talk.later ??= talk.newTurn();
    talk.laterEndMs = undefined;
    return;
  }
  talk.tell({ type: 'speech.started', atMs: whole(startMs) });
  if (state.kind === 'pausing') endPause(talk, state, startMs);
  if (state.kind !== 'listening') return;
  talk.turn = talk.turn.again();
  talk.hearCaller();
}

function voiceEnded(talk: Talk, endMs: number): void {
  const { voice, state } = talk;
  if (!voice) return;
  if (voice.heed !== 'voice') {
    talk.voice = undefined;
    if (voice.heed === 'words') return;
    talk.laterEndMs = endMs;
    return talk.do({ kind: 'finish-turn' });
  }
  talk.voice = { ...voice, endMs };
  talk.tell({ type: 'speech.ended', atMs: whole(endMs) });
  if (state.kind === 'user-speaking') beginPause(talk, endMs);
  // What silenced the agent has to be known soon.
  if (state.kind === 'interrupted' && !talk.turn.isSettled(endMs)) talk.do({ kind: 'finish-turn' });
}

function takeWords(talk: Talk, words: Words): void {
  const { kind } = talk.state;
  const hasFloor = kind === 'thinking' || kind === 'speaking';
  const later = hasFloor && talk.voice?.heed !== 'voice' ? talk.later : undefined;
  // A turn that was answered without its last words is over, whatever the caller is saying by now.
  if (words.kind === 'final' && !(later ?? talk.turn).holds(words.afterTurns)) return;
  if (later) return void write(talk, later, words);
  // Words without a voice while the agent has the floor are an echo, or those of a person put on hold.
  if (hasFloor && (!talk.voice || !mayInterrupt(talk))) return;
  const isNew = write(talk, talk.turn, words);
  meetVoicemail(talk);
  if (talk.state.kind === 'pausing') judgeAgain(talk, talk.state);
  if (talk.state.kind === 'listening' && words.text.trim()) hearWords(talk, isNew);
  if (hasFloor && isInterruption(talk)) takeFloor(talk);
  else if (hasFloor && words.kind === 'final' && !talk.writesLive) forgetVoice(talk);
}

/** Words though no voice was noticed, or though it had been taken for a noise. */
function hearWords(talk: Talk, isNew: boolean): void {
  const { voice } = talk;
  if (!voice || voice.endMs !== undefined) return beginPause(talk, talk.nowMs);
  if (!isNew) return;
  talk.voice = { ...voice, heed: 'voice' };
  talk.hearCaller();
}

/** The voice that was waited for said nothing that interrupts. */
function forgetVoice(talk: Talk): void {
  if (talk.voice?.endMs === undefined) return;
  talk.voice = undefined;
  talk.turn = talk.turn.again();
}

/** True when there are words that were not there before. */
function write(talk: Talk, turn: CallerTurn, words: Words): boolean {
  const { nowMs } = talk;
  const before = turn.lastWordsMs;
  if (words.kind === 'partial') turn.noteGuess(words.text, nowMs);
  else turn.noteFinal(words.text, nowMs);
  if (words.language) {
    turn.language = words.language;
    talk.language = words.language;
  }
  if (words.text.trim()) talk.tell({ type: `transcript.${words.kind}`, text: words.text.trim(), atMs: whole(nowMs) });
  return turn.lastWordsMs !== before;
}

/** The voice is still detected, so the turn ends as usual; what is missing is asked for aloud. */
function losesWords(talk: Talk, code: string): void {
  talk.warn('SPEECH_NOT_WRITTEN', `What is said cannot be written down at the moment (${code}).`);
  talk.isDeaf = true;
  talk.turn.settle(talk.nowMs);
}

function meetVoicemail(talk: Talk): void {
  const { voicemail } = talk.settings;
  if (!voicemail || talk.turnsClosed > 0 || talk.nowMs > voicemail.listenMs) return;
  const heard = { text: talk.turn.text, language: talk.language, sinceOpenedMs: talk.nowMs };
  if (talk.rules.isVoicemail?.(heard)) close(talk, 'VOICEMAIL', voicemail.message);
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms));
}

/** After this many answers lost unheard, the next one cannot be interrupted until it is heard. */
const lostAnswersMax = 3;
/** After this many false alarms within an answer, a voice alone does not silence the agent any more; words still do. */
const falseAlarmsMax = 3;
/** The same for what only looked like a voice for a moment. */
const falseSuspicionsMax = 3;
/** If this little speech interrupts, a suspicion is enough to fall silent. */
const hushedSpeechMsMax = 300;
/** Recognition normally reports a suspicion's outcome sooner. */
const suspicionMsMax = 1000;
/** How long a voice may last without a word before it is taken for noise. */
const wordlessVoiceMs = 2000;
const soonWrittenMs = 600;
/** A recognizer that writes at pauses has to hear the whole of it first. */
const lateWrittenMs = 1500;
/** An answer of which less was heard was begun while the caller had not finished. */
const cutShortMs = 1000;
const cutShortGapMsMax = 5000;

/** Whether the caller may take the floor from the agent now. */
export function mayInterrupt({ settings, closing, output, lostAnswers }: Talk): boolean {
  return settings.isInterruptible && !closing && !output.current?.about.isProtected && lostAnswers < lostAnswersMax;
}

/** When a continuing voice silences the agent: at half of what interrupts, so that the rest is silence already. */
export function voiceDueMs({ voice, settings, falseAlarms }: Talk): number {
  if (!voice || voice.heed !== 'voice' || voice.endMs !== undefined || falseAlarms >= falseAlarmsMax)
    return Number.POSITIVE_INFINITY;
  return voice.startMs + settings.interruption.minSpeechMs / 2;
}

/** What may be a voice silences the agent at once, until it is known better. */
function suspectVoice(talk: Talk): void {
  const { settings, state, falseAlarms, falseSuspicions, nowMs } = talk;
  if (state.kind !== 'speaking' || !mayInterrupt(talk) || settings.interruption.minSpeechMs > hushedSpeechMsMax) return;
  if (falseAlarms >= falseAlarmsMax || falseSuspicions >= falseSuspicionsMax) return;
  if (talk.voice && talk.voice.endMs === undefined) return;
  talk.suspectedAtMs = nowMs;
  stopForVoice(talk, state.kind);
}

/** When a suspicion expires whose outcome was never reported. */
export function suspicionDueMs({ suspectedAtMs, nowMs }: Talk): number {
  return suspectedAtMs === undefined ? nowMs : suspectedAtMs + suspicionMsMax;
}

/** A voice silences the agent until its meaning is known. */
export function stopForVoice(talk: Talk, from: 'thinking' | 'speaking'): void {
  const wasHeard = talk.output.current !== undefined;
  talk.output.pause(talk.nowMs);
  if (wasHeard) talk.do({ kind: 'clear' });
  talk.enter({ kind: 'interrupted', from });
}

/** Whether the words so far mean to interrupt. */
function isInterruption({ turn, settings, rules, language, answer, parting }: Talk): boolean {
  if (wordCount(turn.text) < Math.max(1, settings.interruption.minWords)) return false;
  if ((parting || answer?.done?.wantsToEnd) && isFarewell(turn.text, turn.language ?? language)) return false;
  return !rules.isBackchannel(turn.text, turn.language ?? language);
}

/** Decides what a voice meant that silenced the agent. True when it is decided. */
export function weighInterruption(talk: Talk, from: 'thinking' | 'speaking'): boolean {
  const { voice, nowMs } = talk;
  if (!voice) return nowMs >= suspicionDueMs(talk) && dismissSuspicion(talk, from);
  if (isInterruption(talk)) return takeFloor(talk);
  if (voice.endMs !== undefined && isBrief(voice, talk)) return goOnListening(talk, from);
  if (voice.endMs !== undefined && talk.turn.isSettled(voice.endMs)) return goOn(talk, from);
  if (nowMs < interruptionDueMs(talk, voice)) return false;
  if (voice.endMs !== undefined) return talk.writesLive ? goOn(talk, from) : goOnUntilWritten(talk, from);
  if (talk.writesLive || talk.turn.guessedAtMs !== undefined || nowMs >= voice.startMs + patienceMs(talk))
    return goOn(talk, from);
  talk.turn.guessAskedAtMs = nowMs;
  talk.do({ kind: 'guess-now' });
  return true;
}

/** When something has to happen to an undecided interruption that brings no words. */
export function interruptionDueMs(talk: Talk, voice: VoiceSpan): number {
  const { settings, writesLive, turn } = talk;
  if (voice.endMs !== undefined) return voice.endMs + (writesLive ? soonWrittenMs : lateWrittenMs);
  const isAsked = !writesLive && turn.guessAskedAtMs !== undefined;
  return voice.startMs + (isAsked ? patienceMs(talk) : Math.max(wordlessVoiceMs, settings.interruption.minSpeechMs));
}

/** The longest silence of the agent for a voice without words: no longer than without any voice. */
function patienceMs({ settings }: Talk): number {
  return Math.max(settings.idle.afterMs, wordlessVoiceMs);
}

/** The caller takes the floor. An answer of which nothing was heard is withdrawn, and the turn continues. */
function takeFloor(talk: Talk): true {
  const { voice } = talk;
  learnFromCutShort(talk);
  const question = cutOff(talk, { takesBack: true });
  if (talk.later?.text) talk.turn.precede(talk.later.text);
  talk.later = undefined;
  if (question !== undefined) talk.turn.precede(question);
  if (voice?.endMs === undefined) talk.hearCaller();
  else beginPause(talk, voice.endMs);
  return true;
}

/** A caller who speaks again within the first second of the answer had only paused. */
function learnFromCutShort(talk: Talk): void {
  const { voice, closedVoiceEndMs, output, settings, nowMs } = talk;
  if (!voice || closedVoiceEndMs === undefined) return;
  const heardMs = (output.heard(nowMs) * 1000) / settings.sampleRate;
  const gapMs = voice.startMs - closedVoiceEndMs;
  if (heardMs < cutShortMs && gapMs > 0 && gapMs < cutShortGapMsMax) learnPause(talk, gapMs);
}

/** So little would not have silenced the agent, had it not been suspected of more. */
function isBrief({ startMs, endMs = Number.POSITIVE_INFINITY }: VoiceSpan, { settings, turn }: Talk): boolean {
  return turn.text === '' && endMs - startMs < settings.interruption.minSpeechMs / 2;
}

/** The agent speaks on; should words come after all, they still interrupt it. */
function goOnListening(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseSuspicions++;
  speakOn(talk, from);
  return true;
}

/** It was no voice at all: the agent continues where it stopped. */
function dismissSuspicion(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseSuspicions++;
  talk.suspectedAtMs = undefined;
  speakOn(talk, from);
  return true;
}

/** It was a false alarm: the agent continues where it stopped. */
function goOn(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseAlarms++;
  talk.turn = talk.turn.again();
  talk.voice = talk.voice?.endMs === undefined && talk.voice ? { ...talk.voice, heed: 'words' } : undefined;
  speakOn(talk, from);
  return true;
}

/** The transcript takes too long: if it arrives after all, it still interrupts. */
function goOnUntilWritten(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseAlarms++;
  speakOn(talk, from);
  return true;
}

function speakOn(talk: Talk, from: 'thinking' | 'speaking'): void {
  talk.output.resume();
  talk.enter(from === 'thinking' ? { kind: from, sinceMs: talk.nowMs } : { kind: from });
}
