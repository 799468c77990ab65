// `npm run walk`: which of our files run for a question in text, for 20 ms of a caller's voice and for a PDF, as counted by V8 in
// a platform in one process. docs/architecture.md describes them in order, and a journey checks it against this.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createModel } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { become, explainIfAsked, prepareWorkspace, refuse, root } from './workspace.mjs';

/** What runs every time belongs to the path; what ran only sometimes does not. */
const times = 5;
const idleLooks = 15;
const idleMs = 300;
/** Stops a run that hangs; it does not judge speed. */
const hangMs = 900_000;
const pollMs = 20;
const logFile = 'walk.log';
const external = '/api/v1/external';
const distUrl = `${pathToFileURL(path.join(root, 'dist')).href}/`;

/**
 * The files that run on each path, every time and at all, by their paths in the repository; and those that run while nothing is
 * asked. Counting pauses the process for a moment, so timers that became due meanwhile may fire on any path.
 */
export async function measureWalks() {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-walk-'));
  const log = openSync(path.join(home, logFile), 'a');
  const port = await freePort();
  const model = createModel((_request, response) => say(response)).listen(0, '127.0.0.1');
  await once(model, 'listening');
  const platform = spawn(process.execPath, [`--inspect=127.0.0.1:${port}`, 'dist/apps/all-in-one/src/main.js'], {
    cwd: root,
    env: {
      ...process.env,
      PARLEY_HOME: home,
      PORT: '0',
      LLM_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
      LLM_MODEL: 'walk',
    },
    stdio: ['ignore', log, log],
  });
  try {
    const demo = await demoOf(home, platform);
    const coverage = await Coverage.of(port);
    const walks = { text: await ofText(demo, coverage), voice: await ofVoice(demo, coverage), pdf: await ofPdf(demo, coverage) };
    const idle = await ofNothing(coverage);
    coverage.close();
    return { ...walks, idle };
  } finally {
    platform.kill('SIGTERM');
    if (platform.exitCode === null && platform.signalCode === null) await once(platform, 'exit');
    model.close();
    model.closeAllConnections();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** A question about the demo's knowledge base, answered by a model that always says the same. */
async function ofText(demo, coverage) {
  const headers = { 'x-api-key': demo.workspaceKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ AgentKeyID: demo.AgentKeyID, question: 'Which of your fans is the quietest, and why is it?' });
  const ask = () => answered(fetch(`${demo.baseUrl}/api/v1/ttt`, { method: 'POST', headers, body }));
  for (let warmed = 0; warmed < times; warmed += 1) await ask();
  return repeated(coverage, ask);
}

/** Five frames of a voice that is being heard: the detector judges windows of 32 ms, three at a time for a continuing voice. */
async function ofVoice(demo, coverage) {
  const headers = { 'x-api-key': demo.speechKey, 'content-type': 'application/json' };
  const wish = {
    text: 'Please tell me when you are open on the days before and after a holiday.',
    language: 'english',
    format: 'pcm',
  };
  const sound = await answered(
    fetch(`${demo.baseUrl}/api/v1/tts/external`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...wish, sampleRate: 16_000 }),
    }),
    (reply) => reply.arrayBuffer(),
  );
  const { data } = await answered(
    fetch(`${demo.baseUrl}${external}/session-token`, { method: 'POST', headers: { 'x-api-key': demo.agentKey } }),
  );
  const socket = new WebSocket(`${demo.baseUrl.replace('http', 'ws')}/ws/sts?token=${data.token}`);
  await once(socket, 'open');
  const heard = waitingFor(socket);
  socket.send(JSON.stringify({ type: 'session.start', sampleRate: 16_000, encoding: 'pcm16' }));
  await heard('agent.done');
  let at = 0;
  const speak = async (ms) => {
    const from = at;
    at += ms * 32;
    for (let next = from; next < at; next += 640, await delay(20)) socket.send(sound.slice(next, next + 640));
  };
  await speak(600);
  const files = await repeated(coverage, () => speak(100), {
    last: ['apps/gateway/src/live/sockets/voice-relay.ts', 'libs/voice-session/src/hearing/speech-detector.ts'],
    settleMs: idleMs,
  });
  socket.close();
  return files;
}

/** A small PDF, from its upload until it is found. */
async function ofPdf(demo, coverage) {
  const headers = { 'x-api-key': demo.workspaceKey };
  let count = 0;
  const upload = async () => {
    count += 1;
    const form = new FormData();
    form.append('KBID', String(demo.KBID));
    form.append('KBDocumentKeyID', '');
    form.append('document', new File([pdfOf(`The garage number ${count} closes at eleven at night.`)], `garage-${count}.pdf`));
    const { data } = await answered(
      fetch(`${demo.baseUrl}${external}/kb-doc/add-update`, { method: 'POST', headers, body: form }),
    );
    const where = `${demo.baseUrl}${external}/kb-doc/status?KBDocumentKeyID=${data.KBDocumentKeyID}`;
    for (const untilMs = Date.now() + hangMs; Date.now() < untilMs; await delay(pollMs)) {
      const { data: now } = await answered(fetch(where, { headers }));
      if (now.status === 'READY') return;
      if (now.status === 'FAILED') throw new Error(`the PDF was not read: ${now.reason}`);
    }
    throw new Error('the PDF was not read in time');
  };
  await upload();
  return repeated(coverage, upload, { count: 2 });
}

async function ofNothing(coverage) {
  let files = new Set();
  for (let looked = 0; looked < idleLooks; looked += 1, await delay(idleMs)) {
    const ran = await coverage.take();
    if (looked > 0) files = files.union(ran);
  }
  return { always: [...files].sort(), ever: [...files].sort() };
}

/** What ran every time and what ran at all, from the action until the last files of the path have run. */
async function repeated(coverage, act, { count = times, last = [], settleMs = 0 } = {}) {
  const seen = [];
  for (let done = 0; done < count; done += 1) {
    await coverage.take();
    await act();
    let ran = await coverage.take();
    for (const untilMs = Date.now() + hangMs; last.some((file) => !ran.has(file)) && Date.now() < untilMs; await delay(pollMs))
      ran = ran.union(await coverage.take());
    await delay(settleMs);
    if (settleMs > 0) ran = ran.union(await coverage.take());
    seen.push(ran);
  }
  const [always, ever] = [seen.reduce((all, ran) => all.intersection(ran)), seen.reduce((all, ran) => all.union(ran))];
  return { always: [...always].sort(), ever: [...ever].sort() };
}

async function answered(reply, read = (response) => response.json()) {
  const response = await reply;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return read(response);
}

function waitingFor(socket) {
  const told = [];
  socket.addEventListener('message', ({ data }) => void (typeof data === 'string' && told.push(JSON.parse(data).type)));
  return async (type) => {
    for (const untilMs = Date.now() + hangMs; !told.includes(type); await delay(pollMs))
      if (Date.now() > untilMs || socket.readyState === WebSocket.CLOSED) throw new Error(`the socket never said ${type}`);
  };
}

/** Which functions ran between two calls, counted by V8. */
class Coverage {
  #socket;
  #lastId = 0;

  static async of(port) {
    const [{ webSocketDebuggerUrl }] = await answered(fetch(`http://127.0.0.1:${port}/json/list`));
    const coverage = new Coverage();
    coverage.#socket = new WebSocket(webSocketDebuggerUrl);
    await once(coverage.#socket, 'open');
    await coverage.#ask('Profiler.enable');
    await coverage.#ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /** Those of our files in which something ran since the last call. */
  async take() {
    const { result } = await this.#ask('Profiler.takePreciseCoverage');
    const ran = result.filter(({ url, functions }) => url.startsWith(distUrl) && functions.some(hasRun));
    return new Set(ran.map(({ url }) => decodeURI(url.slice(distUrl.length)).replace(/\.js$/, '.ts')));
  }

  close() {
    this.#socket.close();
  }

  async #ask(method, params = {}) {
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers();
    const hear = ({ data }) => {
      const told = JSON.parse(String(data));
      if (told.id === id) resolve(told);
    };
    const lose = () => reject(new Error('the platform is gone'));
    this.#socket.addEventListener('message', hear);
    this.#socket.addEventListener('close', lose);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await promise;
    this.#socket.removeEventListener('message', hear);
    this.#socket.removeEventListener('close', lose);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

const hasRun = ({ ranges }) => ranges.some(({ count }) => count > 0);

function say(response) {
  const chunk = (choice, more = {}) =>
    `data: ${JSON.stringify({ id: 'walk', created: 1, model: 'walk', object: 'chat.completion.chunk', choices: [choice], ...more })}\n\n`;
  const usage = { prompt_tokens: 200, completion_tokens: 6, total_tokens: 206 };
  const answer = { index: 0, delta: { content: 'We are glad to help.' }, finish_reason: null };
  const end = { index: 0, delta: {}, finish_reason: 'stop' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunk(answer)}${chunk(end, { usage })}data: [DONE]\n\n`);
}

async function demoOf(home, platform) {
  const file = path.join(home, 'demo.json');
  for (const untilMs = Date.now() + hangMs; !existsSync(file); await delay(pollMs))
    if (platform.exitCode !== null || Date.now() > untilMs)
      throw new Error(
        `the platform did not start; its last words:\n${readFileSync(path.join(home, logFile), 'utf8').slice(-2_000)}`,
      );
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A PDF with one page and one line, as small as possible. */
function pdfOf(line) {
  const text = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let pdf = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF`;
  return `${pdf}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}${end}`;
}

/** A star marks files that also run while nothing is asked. */
function printed(files, idle) {
  const folders = Map.groupBy(files, (file) => path.posix.dirname(file));
  const nameOf = (file) => path.posix.basename(file, '.ts') + (idle.includes(file) ? '*' : '');
  return [...folders].map(([folder, own]) => `  ${folder}: ${own.map(nameOf).join(', ')}`).join('\n');
}

if (process.argv[1] === import.meta.filename) {
  explainIfAsked(import.meta.filename);
  const node = await prepareWorkspace();
  if (!process.argv.includes('--built')) {
    await build().catch((error) => refuse(`the build failed: ${error.message}`));
    await become(node, ['tools/walk.mjs', '--built', ...process.argv.slice(2)]);
  } else {
    const walks = await measureWalks();
    if (process.argv.includes('--json')) process.stdout.write(JSON.stringify(walks));
    else for (const [name, { always }] of Object.entries(walks)) console.log(report(name, always, walks.idle.always));
  }
}

/** Prints the files by folder. Files of services count only if they do not also run while nothing is asked. */
function report(name, files, idle) {
  const ofServices = files.filter((file) => file.startsWith('apps/') && (name === 'idle' || !idle.includes(file)));
  const folders = new Set(ofServices.map((file) => path.posix.dirname(file)));
  return `${name}: ${ofServices.length} files of services in ${folders.size} folders, ${files.length} files in all\n${printed(files, name === 'idle' ? [] : idle)}`;
}
