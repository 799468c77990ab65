import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { samplesFromBytes } from '@parley/audio';

/** Of all of these recordings. */
export const recordedRate = 8000;

/** An utterance recorded over telephone. */
export interface HumanRecording {
  /** `en_US_f_Allison`, `it_IT_m_Carlo`: the language and who speaks it. */
  readonly speaker: string;
  readonly name: string;
  readonly samples: Int16Array;
}

const folder = path.resolve('.cache/prompts/usr/share/asterisk/sounds');
/** What is said in the English ones: a line for each, gzipped. */
export const englishWords = path.resolve('.cache/prompts/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz');
const wavHeaderBytes = 44;
const secondsMin = 2.2;
const secondsMax = 12;

/** The recordings that hold more than a word or two, in a fixed order. Empty, and said, where they cannot be unpacked. */
export function humanRecordings(): HumanRecording[] {
  if (!existsSync(englishWords)) execFileSync(process.execPath, ['tools/prompts.mjs'], { stdio: 'inherit' });
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .flatMap((speaker) => recordingsOf(speaker));
}

function recordingsOf(speaker: string): HumanRecording[] {
  return readdirSync(path.join(folder, speaker))
    .filter((file) => file.endsWith('.wav'))
    .toSorted()
    .map((file) => {
      const bytes = readFileSync(path.join(folder, speaker, file)).subarray(wavHeaderBytes);
      return { speaker, name: path.parse(file).name, samples: samplesFromBytes(bytes) };
    })
    .filter(({ samples }) => samples.length > secondsMin * recordedRate && samples.length < secondsMax * recordedRate);
}
