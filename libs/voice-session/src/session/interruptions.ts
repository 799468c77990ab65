import { isFarewell } from '../hearing/known-phrases';
import type { HeardEvent } from '../hearing/heard';
import { type CallerTurn, wordCount } from './caller-turn';
import { close, cutOff, hearLast } from './ending';
import { askToRepeat, beginPause, endPause, hearProsody, judgeAgain, learnPause, withoutEcho } from './pausing';
import type { Talk, VoiceSpan } from './talk';

type Words = Extract<HeardEvent, { kind: 'partial' | 'final' }>;

/** Handles the events of audio recognition. */
export function hear(talk: Talk, heard: HeardEvent): void {
  if (heard.kind === 'writing') talk.writesLive = heard.isLive;
  handle(talk, heard);
  if (heard.kind !== 'final') return;
  talk.noteFinish(heard.afterTurns);
  stopMissing(talk);
}

function handle(talk: Talk, heard: HeardEvent): void {
  if (talk.closing) return hearOverFarewell(talk, heard);
  if (talk.state.kind === 'held' || talk.state.kind === 'ended') return;
  if (heard.kind === 'voice-suspected') suspectVoice(talk);
  else if (heard.kind === 'voice-dismissed') talk.suspectedAtMs = undefined;
  else if (heard.kind === 'speech-started') voiceBegan(talk, heard.atMs);
  else if (heard.kind === 'speech-stopped') voiceEnded(talk, heard.atMs);
  else if (heard.kind === 'end-judged') hearProsody(talk, heard.soundsDone);
  else if (heard.kind === 'recognition-failed') recognitionFailed(talk, heard.code);
  else if (heard.kind === 'partial' || heard.kind === 'final') handleWords(talk, heard);
}

/** A farewell cannot be interrupted, but what is said over it counts. */
function hearOverFarewell(talk: Talk, heard: HeardEvent): void {
  const isEcho = 'isOverEcho' in heard && heard.isOverEcho && wordCount(withoutEcho(talk, heard.text)) === 0;
  if (!isEcho) hearLast(talk, heard);
}

function voiceBegan(talk: Talk, startMs: number): void {
  const { state } = talk;
  talk.suspectedAtMs = undefined;
  if (state.kind === 'pausing' && talk.turn.isAmidNoise) {
    talk.voice = { startMs, endMs: undefined, attention: 'words' };
    return;
  }
  const hasFloor = state.kind === 'thinking' || state.kind === 'speaking';
  const attention = hasFloor && !mayInterrupt(talk) ? 'deferred' : 'voice';
  const continues = talk.voice !== undefined && (state.kind === 'user-speaking' || state.kind === 'interrupted');
  talk.voice = { startMs: continues && talk.voice ? talk.voice.startMs : startMs, endMs: undefined, attention };
  if (attention === 'deferred') return talk.deferTurn();
  talk.tell({ type: 'speech.started', atMs: wholeMs(startMs) });
  if (state.kind === 'pausing') endPause(talk, state, startMs);
  if (state.kind !== 'listening') return;
  // What was heard of a turn whose last words are missing goes on.
  if (talk.unheardSinceMs === undefined) talk.turn = talk.turn.restarted();
  talk.hearCaller();
}

function voiceEnded(talk: Talk, endMs: number): void {
  const { voice, state } = talk;
  if (!voice) return;
  if (voice.attention !== 'voice') {
    talk.voice = undefined;
    if (voice.attention === 'words') return askForUnheard(talk, { ...voice, endMs });
    talk.deferredVoiceEndMs = endMs;
    return talk.do({ kind: 'finish-turn' });
  }
  talk.voice = { ...voice, endMs };
  talk.tell({ type: 'speech.ended', atMs: wholeMs(endMs) });
  if (state.kind === 'user-speaking') {
    talk.turn.wordlessMs += Math.max(0, endMs - Math.max(state.sinceMs, talk.turn.saidUntilMs ?? 0));
    beginPause(talk, endMs);
  }
  // The agent is silent until this voice is judged, so its transcript is requested at once.
  if (state.kind === 'interrupted' && !talk.turn.isTranscribed(endMs)) talk.do({ kind: 'finish-turn' });
}

/**
 * A voice that was taken for noise is over, and may have been the caller's. Live recognition that has said nothing of all that was
 * heard may be deaf, which shows when it has to finish the turn; one that transcribes at pauses may only be slow.
 */
function askForUnheard(talk: Talk, voice: VoiceSpan): void {
  const { state, turn, writesLive, finishesMissing } = talk;
  const isListening = state.kind === 'listening';
  const hasFloor = state.kind === 'thinking' || state.kind === 'speaking';
  if (writesLive && (!isListening || turn.lastWordsMs !== undefined)) return;
  if (state.kind === 'pausing' && finishesMissing === 0) return;
  talk.do({ kind: 'finish-turn' });
  if (writesLive) return;
  if (isListening) talk.unheardSinceMs ??= talk.nowMs;
  if (hasFloor && mayInterrupt(talk)) talk.voice = voice;
  else if (hasFloor) talk.deferTurn(voice.endMs);
}

function handleWords(talk: Talk, words: Words): void {
  const hasWords = words.text.trim() !== '';
  const isMissing = words.kind === 'final' && talk.unheardSinceMs !== undefined && talk.turn.holds(words.afterTurns);
  // Even if no more words come, what was heard before them is answered.
  const isAwaited = isMissing && (hasWords || talk.turn.text !== '');
  if (isAwaited && !talk.answer && (!talk.voice || talk.voice.endMs !== undefined)) stopAskingForPatience(talk);
  const { kind } = talk.state;
  const hasFloor = kind === 'thinking' || kind === 'speaking';
  const isLater = hasFloor && isAnsweredLater(talk, words);
  if (isLater) talk.deferTurn(talk.voice?.endMs);
  const deferred = isLater || (hasFloor && talk.voice?.attention !== 'voice') ? talk.deferred : undefined;
  // Late words of an earlier turn, which was answered without them, are dropped.
  if (words.kind === 'final' && !(deferred ?? talk.turn).holds(words.afterTurns)) return;
  if (deferred) return void addWords(talk, deferred, words);
  // Words without a voice while the agent has the floor are its echo, or were said while the call was on hold.
  if (hasFloor && (!talk.voice || !mayInterrupt(talk))) return;
  stopMissing(talk);
  const said = talk.turn.text;
  const isNew = addWords(talk, talk.turn, words);
  detectVoicemail(talk);
  if (talk.state.kind === 'pausing') {
    // Who says more among voices that are ignored has not fallen silent yet.
    if (talk.turn.isAmidNoise && talk.turn.text !== said) beginPause(talk, talk.nowMs);
    else judgeAgain(talk, talk.state);
  }
  if (talk.state.kind === 'listening' && (hasWords || isAwaited)) handleWordsInSilence(talk, words, isNew);
  if (hasFloor && isInterruption(talk)) takeFloor(talk);
  else if (hasFloor && words.kind === 'final' && !talk.writesLive) dropVoice(talk);
}

/**
 * Whether these words of a recognizer that transcribes at pauses, which came while the agent has the floor, were said before it had,
 * or by a voice that may not interrupt it.
 */
function isAnsweredLater(talk: Talk, words: Words): boolean {
  const { voice, writesLive, turn } = talk;
  if (words.kind !== 'final' || writesLive || !turn.holds(words.afterTurns)) return false;
  if (wordCount(words.isOverEcho ? withoutEcho(talk, words.text) : words.text) === 0) return false;
  return voice ? voice.attention !== 'deferred' && !mayInterrupt(talk) : words.afterTurns !== undefined;
}

/** Words have arrived: none is missing any more, unless others were asked for as well. */
function stopMissing(talk: Talk): void {
  if (talk.writesLive || talk.finishesMissing <= 0) talk.unheardSinceMs = undefined;
}

/** The words for which the agent asks the caller to wait are there. */
function stopAskingForPatience(talk: Talk): void {
  if (talk.state.kind !== 'thinking' && talk.state.kind !== 'speaking') return;
  cutOff(talk, { takesBack: true });
  talk.listen();
}

/** Words arrived though no voice was detected, or though it had been taken for noise. */
function handleWordsInSilence(talk: Talk, words: Words, isNew: boolean): void {
  const { voice, nowMs, closedVoiceEndMs = 0 } = talk;
  const askedAtMs = words.kind === 'final' ? talk.finishAskedAtMs(words.afterTurns) : undefined;
  if (!voice || voice.endMs !== undefined)
    return beginPause(talk, Math.max(askedAtMs ?? nowMs, voice?.endMs ?? closedVoiceEndMs));
  if (isNew) hearAmongVoices(talk, voice);
}

/** The voice that goes on is the caller's, at least since these words. */
function hearAmongVoices(talk: Talk, voice: VoiceSpan): void {
  talk.turn.isAmongVoices = voice.attention === 'words';
  talk.voice = { ...voice, attention: 'voice' };
  talk.hearCaller();
}

/** The transcript of a finished voice contained nothing that interrupts. */
function dropVoice(talk: Talk): void {
  if (talk.voice?.endMs === undefined) return;
  talk.voice = undefined;
  talk.turn = talk.turn.restarted();
}

/** True if the transcript gained words. */
function addWords(talk: Talk, turn: CallerTurn, words: Words): boolean {
  const { nowMs } = talk;
  const before = turn.lastWordsMs;
  if (words.text.trim()) turn.isOverEcho = words.isOverEcho ?? false;
  if (words.kind === 'partial') turn.notePartial(words.text, nowMs, words.atMs);
  else turn.noteFinal(words.text, nowMs, talk.finishAskedAtMs(words.afterTurns));
  if (words.language) {
    turn.language = words.language;
    talk.language = words.language;
  }
  if (words.text.trim()) talk.tell({ type: `transcript.${words.kind}`, text: words.text.trim(), atMs: wholeMs(nowMs) });
  return turn.lastWordsMs !== before;
}

/** Voices are still detected, so the turn ends as usual, and the caller is then asked to repeat what was missed. */
function recognitionFailed(talk: Talk, code: string): void {
  talk.warn('SPEECH_NOT_WRITTEN', `Speech cannot be transcribed at the moment (${code}).`);
  talk.hasLostRecognition = true;
  talk.turn.finalize(talk.nowMs);
  if (isMissed(talk)) return askForMissed(talk);
  const isWaiting = talk.state.kind === 'listening' || (['thinking', 'speaking'].includes(talk.state.kind) && !talk.answer);
  if (talk.unheardSinceMs !== undefined && isWaiting && !isGoing(talk)) answerWithout(talk);
  talk.unheardSinceMs = undefined;
}

/** Whether a voice was lost that spoke while the agent did. Words of an earlier turn, for which it asks for patience, come first. */
function isMissed(talk: Talk): boolean {
  const { voice, state, turn, unheardSinceMs } = talk;
  if (unheardSinceMs !== undefined || isGoing(talk) || state.kind === 'user-speaking' || state.kind === 'pausing') return false;
  return voice?.endMs !== undefined && voice.attention !== 'deferred' && turn.text === '' && !isBrief(voice, talk);
}

/** Whether the call ends or is handed over, whatever the caller says. */
function isGoing({ closing, transferTo }: Talk): boolean {
  return closing !== undefined || transferTo !== undefined;
}

/** Asked for after an answer, and at once over an idle prompt or a goodbye: whoever spoke is there, and is not hung up on. */
function askForMissed(talk: Talk): void {
  const { answer, parting, idleStep, state } = talk;
  talk.hasMissedVoice = answer !== undefined || (parting === undefined && idleStep === 0 && state.kind !== 'listening');
  if (talk.hasMissedVoice) return;
  cutOff(talk, { takesBack: false });
  talk.voice = undefined;
  talk.listen();
  askToRepeat(talk);
}

/** The last words of a turn will not come: what was heard before them is answered, or the caller has to repeat them. */
function answerWithout(talk: Talk): void {
  if (talk.turn.text === '') return askToRepeat(talk);
  stopAskingForPatience(talk);
  beginPause(talk, talk.nowMs);
}

function detectVoicemail(talk: Talk): void {
  const { voicemail } = talk.settings;
  if (!voicemail || talk.turnsClosed > 0 || talk.nowMs > voicemail.listenMs) return;
  const heard = { text: talk.turn.text, language: talk.language, sinceOpenedMs: talk.nowMs };
  if (talk.rules.isVoicemail?.(heard)) close(talk, 'VOICEMAIL', voicemail.message);
}

function wholeMs(ms: number): number {
  return Math.max(0, Math.round(ms));
}

/** After this many answers in a row were cut off unheard, a voice alone no longer silences the agent; words still do. */
const lostAnswersMax = 3;
/** After this many false alarms within an answer, a voice alone no longer silences the agent; words still do. */
const falseAlarmsMax = 3;
/** The same for sounds that were only suspected to be a voice. */
const falseSuspicionsMax = 3;
/** Only if an agent can be interrupted by this little speech does a mere suspicion silence it. */
const suspicionSpeechMsMax = 300;
/** A safety limit: recognition normally confirms or dismisses a suspicion sooner. */
const suspicionMsMax = 1000;
/** How long a voice may last without a word before it is taken for noise. */
const wordlessVoiceMs = 2000;
const liveTranscriptMs = 600;
/** A recognizer that transcribes at pauses needs the whole sound first. */
const pieceTranscriptMs = 1500;
/** If the caller interrupts this early in an answer, the answer was started before they had finished. */
const cutShortMs = 1000;
const cutShortGapMsMax = 5000;

/** Whether the caller may take the floor from the agent now: always while it only asks them to wait for their transcript. */
export function mayInterrupt({ settings, closing, output, answer, unheardSinceMs }: Talk): boolean {
  const isAskingForPatience = unheardSinceMs !== undefined && !answer;
  return (settings.isInterruptible || isAskingForPatience) && !closing && !output.current?.about.isProtected;
}

export function isLosingAnswers({ lostAnswers }: Talk): boolean {
  return lostAnswers >= lostAnswersMax;
}

/** Whether only words may silence the agent, since voices did so in vain too often. */
export function isVoiceDoubted(talk: Talk): boolean {
  return talk.falseAlarms >= falseAlarmsMax || isLosingAnswers(talk);
}

/** When a continuing voice silences the agent: halfway to an interruption, so that the agent is already silent when it counts as one. */
export function voiceDueMs(talk: Talk): number {
  const { voice, settings } = talk;
  if (!voice || voice.attention !== 'voice' || voice.endMs !== undefined || isVoiceDoubted(talk)) return Number.POSITIVE_INFINITY;
  return voice.startMs + settings.interruption.minSpeechMs / 2;
}

/** A possible voice silences the agent at once, until it is confirmed or dismissed. */
function suspectVoice(talk: Talk): void {
  const { settings, state, falseSuspicions, nowMs } = talk;
  if (state.kind !== 'speaking' || !mayInterrupt(talk) || settings.interruption.minSpeechMs > suspicionSpeechMsMax) return;
  if (isVoiceDoubted(talk) || falseSuspicions >= falseSuspicionsMax) return;
  if (talk.voice && talk.voice.endMs === undefined) return;
  talk.suspectedAtMs = nowMs;
  stopForVoice(talk, state.kind);
}

/** When a suspicion expires if its outcome is never reported. */
export function suspicionDueMs({ suspectedAtMs, nowMs }: Talk): number {
  return suspectedAtMs === undefined ? nowMs : suspectedAtMs + suspicionMsMax;
}

/** Pauses the agent until it is clear whether the voice interrupts. */
export function stopForVoice(talk: Talk, from: 'thinking' | 'speaking'): void {
  const wasHeard = talk.output.current !== undefined;
  talk.output.pause(talk.nowMs);
  if (wasHeard) talk.do({ kind: 'clear' });
  talk.enter({ kind: 'interrupted', from });
}

/** Whether the words so far mean to interrupt. */
function isInterruption(talk: Talk): boolean {
  const { turn, settings, rules, language, answer, parting } = talk;
  const said = turn.isOverEcho ? withoutEcho(talk, turn.text) : turn.text;
  if (wordCount(said) < Math.max(1, settings.interruption.minWords)) return false;
  if ((parting || answer?.done?.wantsToEnd) && isFarewell(turn.text, turn.language ?? language)) return false;
  return !rules.isBackchannel(turn.text, turn.language ?? language);
}

/** Decides whether the voice that silenced the agent interrupts it. True if a decision was made. */
export function judgeInterruption(talk: Talk, from: 'thinking' | 'speaking'): boolean {
  const { voice, nowMs } = talk;
  if (!voice) return nowMs >= suspicionDueMs(talk) && dismissSuspicion(talk, from);
  if (isInterruption(talk)) return takeFloor(talk);
  if (voice.endMs !== undefined && isBrief(voice, talk)) return resumeAfterBriefVoice(talk, from);
  if (voice.endMs !== undefined && talk.turn.isTranscribed(voice.endMs)) return resumeAfterFalseAlarm(talk, from);
  if (nowMs < interruptionDueMs(talk, voice)) return false;
  if (voice.endMs !== undefined) return talk.writesLive ? resumeAfterFalseAlarm(talk, from) : resumeBeforeTranscript(talk, from);
  // A provisional transcript from before this voice says nothing of it.
  const isGuessed = (talk.turn.guessedUntilMs ?? Number.NEGATIVE_INFINITY) >= voice.startMs + wordlessVoiceMs;
  if (talk.writesLive || isGuessed || nowMs >= voice.startMs + pausedMsMax(talk)) return resumeAfterFalseAlarm(talk, from);
  talk.askForGuess();
  return true;
}

/** When an interruption without words has to be decided. */
export function interruptionDueMs(talk: Talk, voice: VoiceSpan): number {
  const { settings, writesLive, turn } = talk;
  if (voice.endMs !== undefined) return voice.endMs + (writesLive ? liveTranscriptMs : pieceTranscriptMs);
  const isAsked = !writesLive && turn.guessAskedAtMs !== undefined;
  return voice.startMs + (isAsked ? pausedMsMax(talk) : Math.max(wordlessVoiceMs, settings.interruption.minSpeechMs));
}

/** How long the agent stays silent for a voice without words: no longer than it would before an idle prompt. */
function pausedMsMax({ settings }: Talk): number {
  return Math.max(settings.idle.afterMs, wordlessVoiceMs);
}

/** The caller takes the floor. An answer of which nothing was heard is withdrawn, and its question becomes part of this turn. */
function takeFloor(talk: Talk): true {
  const { voice } = talk;
  learnFromCutShort(talk);
  const question = cutOff(talk, { takesBack: true });
  if (talk.deferred?.text) talk.turn.precede(talk.deferred.text);
  talk.deferred = undefined;
  if (question !== undefined) talk.turn.precede(question);
  if (voice?.endMs !== undefined) beginPause(talk, voice.endMs);
  else if (voice) hearAmongVoices(talk, voice);
  else talk.hearCaller();
  return true;
}

/** A caller who speaks again within the first second of the answer had only paused, so such pauses are waited for from now on. */
function learnFromCutShort(talk: Talk): void {
  const { voice, closedVoiceEndMs, output, settings, nowMs } = talk;
  if (!voice || closedVoiceEndMs === undefined) return;
  const heardMs = (output.heard(nowMs) * 1000) / settings.sampleRate;
  const gapMs = voice.startMs - closedVoiceEndMs;
  if (heardMs < cutShortMs && gapMs > 0 && gapMs < cutShortGapMsMax) learnPause(talk, gapMs);
}

/** Too short a voice to have silenced the agent, had it not already been silent on suspicion. */
function isBrief({ startMs, endMs = Number.POSITIVE_INFINITY }: VoiceSpan, { settings, turn }: Talk): boolean {
  return turn.text === '' && endMs - startMs < settings.interruption.minSpeechMs / 2;
}

/** The agent continues; if words arrive after all, they still interrupt it. */
function resumeAfterBriefVoice(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseSuspicions++;
  resumeAgent(talk, from);
  return true;
}

/** It was not a voice: the agent continues where it stopped. */
function dismissSuspicion(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseSuspicions++;
  talk.suspectedAtMs = undefined;
  resumeAgent(talk, from);
  return true;
}

/** It was a false alarm: the agent continues where it stopped. */
function resumeAfterFalseAlarm(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseAlarms++;
  talk.turn = talk.turn.restarted();
  talk.voice = talk.voice?.endMs === undefined && talk.voice ? { ...talk.voice, attention: 'words' } : undefined;
  resumeAgent(talk, from);
  return true;
}

/** The transcript is late: the agent continues, and the words still interrupt it when they arrive. */
function resumeBeforeTranscript(talk: Talk, from: 'thinking' | 'speaking'): true {
  talk.falseAlarms++;
  resumeAgent(talk, from);
  return true;
}

function resumeAgent(talk: Talk, from: 'thinking' | 'speaking'): void {
  talk.output.resume();
  talk.enter(from === 'thinking' ? { kind: from, sinceMs: talk.nowMs } : { kind: from });
}
