import type { HeardEvent } from '../hearing/heard';
import { CallerTurn } from './caller-turn';
import { close } from './ending';
import { isInterruption, mayInterrupt, suspectVoice, takeFloor } from './interruption';
import { beginPause, endPause, judgeAgain } from './pausing';
import type { Talk } from './talk';

type Words = Extract<HeardEvent, { kind: 'partial' | 'final' }>;

/** Takes in what the ears tell. */
export function hear(talk: Talk, heard: HeardEvent): void {
  if (talk.state.kind === 'held' || talk.state.kind === 'ended' || talk.closing) return;
  if (heard.kind === 'voice-suspected') suspectVoice(talk);
  else if (heard.kind === 'voice-dismissed') talk.suspectedAtMs = undefined;
  else if (heard.kind === 'speech-started') voiceBegan(talk, heard.atMs);
  else if (heard.kind === 'speech-stopped') voiceEnded(talk, heard.atMs);
  else if (heard.kind === 'deaf') losesWords(talk, heard.code);
  else if (heard.kind === 'partial' || heard.kind === 'final') takeWords(talk, heard);
}

function voiceBegan(talk: Talk, startMs: number): void {
  const { state } = talk;
  talk.suspectedAtMs = undefined;
  const hasFloor = state.kind === 'thinking' || state.kind === 'speaking';
  const isIgnored = hasFloor && !mayInterrupt(talk);
  const goesOn = talk.voice !== undefined && (state.kind === 'user-speaking' || state.kind === 'interrupted');
  talk.voice = { startMs: goesOn && talk.voice ? talk.voice.startMs : startMs, endMs: undefined, isIgnored };
  if (isIgnored) return;
  talk.tell({ type: 'speech.started', atMs: whole(startMs) });
  if (state.kind === 'pausing') endPause(talk, state, startMs);
  if (state.kind !== 'listening') return;
  talk.turn = new CallerTurn();
  talk.enter({ kind: 'user-speaking' });
}

function voiceEnded(talk: Talk, endMs: number): void {
  const { voice, state } = talk;
  if (!voice) return;
  if (voice.isIgnored) {
    talk.voice = undefined;
    return;
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
    if (!talk.voice) return;
  }
  if (words.kind === 'partial') talk.hasGuesses = true;
  const { kind } = talk.state;
  const hasFloor = kind === 'thinking' || kind === 'speaking';
  // Words without a voice, while the agent has the floor, are an echo or those of somebody who was told to hold the line.
  if (talk.voice?.isIgnored || (hasFloor && (!talk.voice || !mayInterrupt(talk)))) return;
  write(talk, words);
  meetVoicemail(talk);
  if (talk.state.kind === 'pausing') judgeAgain(talk, talk.state);
  if (talk.state.kind === 'listening' && words.text.trim()) beginPause(talk, talk.nowMs);
  if (hasFloor && isInterruption(talk)) takeFloor(talk);
}

function write(talk: Talk, words: Words): void {
  const { turn, nowMs } = talk;
  if (words.kind === 'partial') turn.noteGuess(words.text, nowMs);
  else turn.noteFinal(words.text, nowMs);
  if (words.language) {
    turn.language = words.language;
    talk.language = words.language;
  }
  if (words.text.trim()) talk.tell({ type: `transcript.${words.kind}`, text: words.text.trim(), atMs: whole(nowMs) });
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
