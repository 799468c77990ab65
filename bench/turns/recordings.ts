import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { samplesFromBytes } from '@parley/audio';

/** The sample rate of all these recordings. */
export const recordedRate = 8000;

/** An utterance in telephone quality. */
export interface HumanRecording {
  /** The language and the speaker: `en_US_f_Allison`, `it_IT_m_Carlo`. */
  readonly speaker: string;
  readonly name: string;
  readonly samples: Int16Array;
}

/** Contains one folder per speaker. */
export const recordingsFolder = path.resolve('.cache/prompts/usr/share/asterisk/sounds');
/** The words of the English ones: one line each, gzipped. */
export const englishWords = path.resolve('.cache/prompts/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz');
export const wavHeaderBytes = 44;
const musicFolder = path.resolve('.cache/prompts/usr/share/asterisk/moh');
const secondsMin = 2.2;
const secondsMax = 12;

/** The recordings with more than a word or two, in a fixed order. Empty, with a message, if they cannot be unpacked. */
export function humanRecordings(): HumanRecording[] {
  if (!recordingsThere()) return [];
  return readdirSync(recordingsFolder)
    .toSorted()
    .flatMap((speaker) => recordingsOf(speaker));
}

/** Unpacks them the first time. */
export function recordingsThere(): boolean {
  if (!existsSync(englishWords) || !existsSync(musicFolder))
    execFileSync(process.execPath, ['tools/prompts.mjs'], { stdio: 'inherit' });
  return existsSync(recordingsFolder);
}

/** Hold music in a fixed order, at the same rate. */
export function heldMusic(): Int16Array[] {
  if (!existsSync(musicFolder)) return [];
  return readdirSync(musicFolder)
    .filter((file) => file.endsWith('.wav'))
    .toSorted()
    .map((file) => samplesFromBytes(readFileSync(path.join(musicFolder, file)).subarray(wavHeaderBytes)));
}

function recordingsOf(speaker: string): HumanRecording[] {
  return readdirSync(path.join(recordingsFolder, speaker))
    .filter((file) => file.endsWith('.wav'))
    .toSorted()
    .map((file) => {
      const bytes = readFileSync(path.join(recordingsFolder, speaker, file)).subarray(wavHeaderBytes);
      return { speaker, name: path.parse(file).name, samples: samplesFromBytes(bytes) };
    })
    .filter(({ samples }) => samples.length > secondsMin * recordedRate && samples.length < secondsMax * recordedRate);
}
