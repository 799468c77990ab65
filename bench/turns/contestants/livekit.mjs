// `node livekit.mjs <folder of agents-js> <folder of sounds>`: livekit agents-js judges sounds with its own turn detector, run
// within that framework as its licence requires. Prints a line for each sound: how likely the turn has ended, and the threshold
// of its language.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, sounds] = process.argv.slice(2);
const require = createRequire(path.join(folder, 'package.json'));
const { AudioFrame } = require('@livekit/rtc-node');
const within = (file) => import(pathToFileURL(path.join(folder, 'node_modules/@livekit/agents/dist', file)));
const { inference, initializeLogger } = await within('index.js');
const { default: Runner } = await within('inference/eot/runner.js');
const frameMs = 20;
const takenMs = 20;

initializeLogger({ pretty: false, level: 'error' });
const runner = new Runner();
await runner.initialize();

/** What agents-js does in its inference process, done in this process. */
const executor = { doInference: (_method, data) => runner.run(data) };
const index = JSON.parse(readFileSync(path.join(sounds, 'index.json'), 'utf8'));
for (const { file, sampleRate, language } of index) {
  const detector = new inference.TurnDetector({ version: 'v1-mini', executor });
  const stream = detector.stream();
  const bytes = readFileSync(path.join(sounds, file));
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).slice();
  const frame = (sampleRate * frameMs) / 1000;
  for (let at = 0; at + frame <= samples.length; at += frame)
    stream.pushAudio(new AudioFrame(samples.slice(at, at + frame), sampleRate, 1, frame));
  // A task of the framework's own takes the frames.
  await new Promise((resolve) => setTimeout(resolve, takenMs));
  const startedMs = performance.now();
  const { endOfTurnProbability } = await stream.predict().await;
  const ms = performance.now() - startedMs;
  process.stdout.write(
    `${JSON.stringify({ done: endOfTurnProbability, from: await detector.unlikelyThreshold(language), ms })}\n`,
  );
  await detector.aclose();
}
process.exit(0);
