import type { HeardEvent } from '../hearing/heard';
import { CallerTurn } from './caller-turn';
import { close } from './ending';
import { isInterruption, mayInterrupt, suspectVoice, takeFloor } from './interruption';
import { beginPause, endPause, hearMelody, judgeAgain } from './pausing';
import type { Talk } from './talk';

type Words = Extract<HeardEvent, { kind: 'partial' | 'final' }>;

/** Takes in what the ears tell. */
export function hear(talk: Talk, heard: HeardEvent): void {
  if (heard.kind === 'writing') talk.writesLive = heard.isLive;
  if (talk.state.kind === 'held' || talk.state.kind === 'ended' || talk.closing) return;
  if (heard.kind === 'voice-suspected') suspectVoice(talk);
  else if (heard.kind === 'voice-dismissed') talk.suspectedAtMs = undefined;
  else if (heard.kind === 'speech-started') voiceBegan(talk, heard.atMs);
  else if (heard.kind === 'speech-stopped') voiceEnded(talk, heard.atMs);
  else if (heard.kind === 'end-judged') hearMelody(talk, heard.soundsDone);
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
    talk.later ??= new CallerTurn();
    talk.laterEndMs = undefined;
    return;
  }
  talk.tell({ type: 'speech.started', atMs: whole(startMs) });
  if (state.kind === 'pausing') endPause(talk, state, startMs);
  if (state.kind !== 'listening') return;
  talk.turn = new CallerTurn();
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
  if (talk.awaitsLateFinal && words.kind === 'final') {
    talk.awaitsLateFinal = false;
    if (!talk.voice && !talk.later) return;
  }
  const { kind } = talk.state;
  const hasFloor = kind === 'thinking' || kind === 'speaking';
  if (hasFloor && talk.later && talk.voice?.heed !== 'voice') return void write(talk, talk.later, words);
  // Words without a voice, while the agent has the floor, are an echo or those of somebody who was told to hold the line.
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

/** Whoever was waited for has said nothing that interrupts. */
function forgetVoice(talk: Talk): void {
  if (talk.voice?.endMs === undefined) return;
  talk.voice = undefined;
  talk.turn = new CallerTurn();
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

/** The voice is still noticed, so the turn ends as ever; what is missing is asked for aloud. */
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
