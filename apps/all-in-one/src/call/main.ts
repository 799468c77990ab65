// `npm run call`: a telephone in the terminal, which calls the demo agent of a platform running on this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { joinSamples, openAudio, wavFile } from '@parley/audio';
import { fliteVoice, type Handset, networkRate, type PhoneStep } from '@parley/providers/loopback';
import { lastWords } from '@parley/service-kit';
import { Demo } from '../demo/demo-file';
import { SimulatedPhone } from './simulated-phone';

const help = `npm run call -- [options]     calls the demo agent of the platform that runs on this machine

  --say WORDS      what to say, each time the agent has spoken; may be given several times
  --wav FILE       a recording to speak instead, once the agent has greeted
  --sip            call over SIP and RTP, with real packets, instead of the simulated network
  --out FILE       where to write what was heard (default heard.wav)
  --home DIR       where the platform keeps its data (PARLEY_HOME, default .parley)

Without --say and --wav, what you type is spoken; an empty line hangs up.
`;

const answerMs = 12_000;
const unheard = (language: string): string =>
  `\nNothing that you said was understood: this machine may have no engine that hears ${language} (\`npm run models\` lists some).\n`;
const pauseMs = 1_800;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      say: { type: 'string', multiple: true, default: [] },
      wav: { type: 'string' },
      sip: { type: 'boolean', default: false },
      out: { type: 'string', default: 'heard.wav' },
      home: { type: 'string', default: '.parley' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(help);
  const demo = Demo.parse(JSON.parse(readFileSync(path.resolve(values.home, 'demo.json'), 'utf8')));
  const isTyped = values.say.length === 0 && values.wav === undefined;
  const words =
    values.wav === undefined ? values.say.map(said) : [{ kind: 'play' as const, samples: await recorded(values.wav) }];
  const phone = new SimulatedPhone(demo, (line) => process.stdout.write(`${line}\n`), values.sip ? 'sip' : 'loopback');
  const called = await phone.call({ script: isTyped ? [] : scriptOf(words), ...(isTyped && { attach: typing }) });
  writeFileSync(values.out, wavFile(called.heard, networkRate));
  const { state, cause, durationSeconds, credits } = called.record;
  if (called.unheardIn !== undefined) process.stdout.write(unheard(called.unheardIn));
  process.stdout.write(
    `\n${state}: ${cause}\n${durationSeconds} s, ${JSON.stringify(credits)}\nheard: ${path.resolve(values.out)}\n`,
  );
  process.exit(state === 'COMPLETED' ? 0 : 1);
}

const said = (words: string): PhoneStep => ({ kind: 'say', words });

/** Speaks each time the agent has finished and waits, and hangs up after the last answer. */
function scriptOf(words: readonly PhoneStep[]): PhoneStep[] {
  const listen: PhoneStep = { kind: 'listen', silenceMs: pauseMs, withinMs: answerMs };
  return [...words.flatMap((step) => [listen, step]), listen, { kind: 'hang-up' }];
}

/** Speaks each line typed on the keyboard. */
function typing(handset: Handset): void {
  const voice = fliteVoice();
  const lines = createInterface({ input: process.stdin });
  process.stdout.write('Type what you want to say; an empty line hangs up.\n');
  lines.on('line', (line) => {
    if (line.trim() === '') return handset.hangUp();
    void voice(line).then((samples) => handset.speak(samples));
  });
  lines.on('close', () => handset.hangUp());
}

async function recorded(file: string): Promise<Int16Array> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield readFileSync(file);
  }
  const { blocks } = await openAudio(source(), { toRate: networkRate });
  const samples: Int16Array[] = [];
  for await (const block of blocks) samples.push(block.slice());
  return joinSamples(samples);
}

main().catch((error: unknown) => {
  const isAway = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  lastWords('call', isAway ? 'no platform has run here: npm start first, then npm run call in a second terminal' : String(error));
  process.exit(1);
});
