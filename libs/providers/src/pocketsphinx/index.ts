import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bytesFromSamples } from '@parley/audio';
import {
  ProviderFailure,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type TimedWord,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '@parley/ports';
import { existingFolder } from '@parley/service-kit';
import { FairGate, type Pace, placesByDefault, sparePlacesByDefault, yieldStarted } from '../engine-pool';
import { defineHearing } from '../vendor';
import { wholeRecording } from '../whole-recording';

const provider = 'pocketsphinx';
const sampleRate = 16_000;
const telephoneRate = 8000;
const secondsMax = 60;
const printedBytesMax = 1024 * 1024;
const lookAgainMs = 2_000;

export const howToGetPocketsphinx =
  'is not installed: on Debian and Ubuntu `node tools/pocketsphinx.mjs` unpacks it without root, ' +
  'or install the packages pocketsphinx and pocketsphinx-en-us; or configure another speech-to-text provider';

interface PocketsphinxOptions {
  /** Folders laid out like a root directory, of which the first with the engine is used. */
  readonly folders: readonly string[];
  readonly processes?: number;
  readonly queueMax?: number;
}

/** Local transcription of English, good enough for demos and tests. Every request runs in a separate process. */
export class Pocketsphinx implements SpeechToText {
  private readonly folders: readonly string[];
  private readonly gate: FairGate;
  private found: PocketsphinxInstallation | undefined;
  private lookedAtMs = -Infinity;

  constructor({ folders, processes = placesByDefault, queueMax = 16 }: PocketsphinxOptions) {
    this.folders = folders;
    this.gate = new FairGate({ provider, places: processes, sparePlaces: sparePlacesByDefault, queueMax });
  }

  get capabilities(): SpeechToTextCapabilities {
    return {
      provider,
      languages: ['english'],
      sampleRates: [sampleRate],
      live: false,
      wordTimings: true,
      languageDetection: false,
      secondsMax,
      grade: 'demo',
      unavailable: this.installation ? undefined : howToGetPocketsphinx,
    };
  }

  /** The installed engine. If it is missing it is looked for again from time to time, since it may be unpacked while the platform runs. */
  private get installation(): PocketsphinxInstallation | undefined {
    if (!this.found && performance.now() - this.lookedAtMs > lookAgainMs) {
      this.lookedAtMs = performance.now();
      this.found = findPocketsphinx(this.folders);
    }
    return this.found;
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return [{ id: 'en-us', name: 'US English', languages: ['english'] }];
  }

  async transcribe({ language = 'english', words, signal, ...sound }: TranscriptionRequest): Promise<Transcription> {
    const { installation } = this;
    if (!installation) throw new ProviderFailure(provider, howToGetPocketsphinx, { retryable: false });
    if (language !== 'english') throw new ProviderFailure(provider, `does not hear ${language}`, { retryable: false });
    signal?.throwIfAborted();
    const resampler = sound.sampleRate === telephoneRate ? new TelephoneBand() : undefined;
    const samples = await wholeRecording(sound, { provider, sampleRate, secondsMax, ...(resampler && { resampler }) });
    if (samples.length === 0) return { text: '', language, ...(words && { words: [] }) };
    const printed = await this.gate.pass((pace) => hear(installation, samples, { pace, signal }), signal);
    const { text, words: timed } = transcriptionFrom(printed);
    return { text, language, ...(words && { words: timed }) };
  }

  async close(): Promise<void> {}
}

/**
 * Doubles the rate of telephone sound by linear interpolation. The model uses frequencies up to 6.8 kHz, and recognizes badly without
 * them; interpolation leaves a weak image of the voice there, which a good resampler would remove.
 */
class TelephoneBand {
  private last = 0;

  push(samples: Int16Array): Int16Array {
    const doubled = new Int16Array(samples.length * 2);
    for (const [at, sample] of samples.entries()) {
      doubled[2 * at] = (this.last + sample) >> 1;
      doubled[2 * at + 1] = sample;
      this.last = sample;
    }
    return doubled;
  }

  flush(): Int16Array {
    return new Int16Array(0);
  }

  close(): void {}
}

/**
 * The engine maps its input into memory, which is not possible with the sockets that Node uses as pipes, so it gets a file. The file is
 * unlinked before the first sample is written, so that a killed process leaves no voice on the disk.
 */
async function hear(installation: PocketsphinxInstallation, samples: Int16Array, run: RecognitionRun): Promise<string> {
  await using file = await namelessFile();
  await writeAll(file, bytesFromSamples(samples));
  return await runOn(installation, file.fd, run);
}

const folderPrefix = 'parley-speech-';
/** A folder this old was left by a killed process, since it is used only for a moment. */
const folderLeftMs = 60_000;
let sweptFolders: Promise<void> | undefined;

/** Removes folders left by killed processes, once per process. They contain no voice, since files are unlinked before they are written. */
async function sweepFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(folderPrefix))) {
    const folder = path.join(tmpdir(), name);
    const made = await stat(folder).catch(() => undefined);
    if (made?.isDirectory() && Date.now() - made.mtimeMs > folderLeftMs)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function namelessFile(): Promise<FileHandle> {
  await (sweptFolders ??= sweepFolders());
  const folder = await mkdtemp(path.join(tmpdir(), folderPrefix));
  try {
    return await open(path.join(folder, 'speech.raw'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes at explicit positions, so that the file offset stays 0, from which the engine reads if `/dev/fd` duplicates the descriptor. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
}

interface RecognitionRun {
  readonly pace: Pace;
  readonly signal: AbortSignal | undefined;
}

function runOn(
  { program, models, libraries }: PocketsphinxInstallation,
  file: number,
  { pace, signal }: RecognitionRun,
): Promise<string> {
  const model = ['-hmm', `${models}/en-us`, '-lm', `${models}/en-us.lm.bin`, '-dict', `${models}/cmudict-en-us.dict`];
  const child = spawn(program, ['-infile', '/dev/fd/3', '-time', 'yes', '-logfn', '/dev/null', ...model], {
    env: { LD_LIBRARY_PATH: libraries.join(':') },
    stdio: ['ignore', 'pipe', 'ignore', file],
    timeout: 2 * secondsMax * 1000,
    killSignal: 'SIGKILL',
    signal,
  });
  if (pace === 'yielding') yieldStarted(child, 'engine');
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.length > printedBytesMax) child.kill('SIGKILL');
    });
    child.once('error', (cause) => reject(signal?.aborted ? signal.reason : failed('could not be started', cause)));
    child.once('close', (code, killedBy) => {
      if (code === 0) resolve(printed);
      else reject(failed(`ended with ${killedBy ?? `code ${code}`}`));
    });
  });
}

function failed(message: string, cause?: unknown): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: true, cause });
}

/** The paths of the engine, its models and its libraries. */
interface PocketsphinxInstallation {
  readonly program: string;
  readonly models: string;
  /** Empty if the system's libraries are used. */
  readonly libraries: readonly string[];
}

/** The first of these folders, laid out like a root directory, that contains the engine and its English model. */
function findPocketsphinx(folders: readonly string[]): PocketsphinxInstallation | undefined {
  for (const folder of folders) {
    const program = path.join(folder, 'usr/bin/pocketsphinx_continuous');
    const models = path.join(folder, 'usr/share/pocketsphinx/model/en-us');
    if (isThere(program, constants.X_OK) && isThere(path.join(models, 'en-us.lm.bin'), constants.R_OK)) {
      return { program, models, libraries: folder === '/' ? [] : librariesIn(path.join(folder, 'usr/lib')) };
    }
  }
  return undefined;
}

function isThere(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/** All folders with shared libraries; none if the system's libraries are used. */
function librariesIn(folder: string): string[] {
  if (!isThere(folder, constants.R_OK)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [...new Set(entries.filter(({ name }) => name.includes('.so')).map(({ parentPath }) => parentPath))];
}

const timedWord = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/;
const noise = /^(?:<.*>|\[.*\])$/;
const pronunciation = /\(\d+\)$/;

/** Parses the output of `-time yes`: a line per utterance, then a line per word with its times in seconds. */
export function transcriptionFrom(printed: string): { text: string; words: TimedWord[] } {
  const words: TimedWord[] = [];
  for (const line of printed.split('\n')) {
    const [, word = '', start, end] = timedWord.exec(line) ?? [];
    if (!word || noise.test(word)) continue;
    words.push({
      text: word.replace(pronunciation, ''),
      startMs: Math.round(Number(start) * 1000),
      endMs: Math.round(Number(end) * 1000),
    });
  }
  return { text: words.map(({ text }) => text).join(' '), words };
}

const variables = {
  POCKETSPHINX_DIR: existingFolder().default('.cache/pocketsphinx').meta({
    description: 'The folder in which pocketsphinx was unpacked. An installation of the system is found without it.',
    example: '/opt/pocketsphinx',
  }),
};

/** Transcription by pocketsphinx. */
export const pocketsphinx = {
  hearing: defineHearing({
    id: 1,
    name: 'pocketsphinx',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    isLive: false,
    wordTimings: true,
    models: [{ id: 1, model: 'en-us', languages: ['english'] }],
    variables,
    open: async ({ config }) => new Pocketsphinx({ folders: [config.POCKETSPHINX_DIR ?? '', '/'] }),
  }),
};
