// A model, a recognizer and a voice with OpenAI's protocol that answer instantly, so that the cost of calls is the platform's
// own. `node providers.js <port>` prints `listening`.
import { createServer } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { bytesFromSamples, joinSamples, resample } from '@parley/audio';
import { spokenSentences } from '../hearing/spoken';
import { answerMs } from '../calls/talk';

const speechRate = 24_000;
const usage = { prompt_tokens: 900, completion_tokens: 9, total_tokens: 909 };
const common = { id: 'c', created: 1, model: 'stub' };
let answers = 0;

function chunk(choice: object | null, used: object | null = null): string {
  const choices = choice ? [{ index: 0, finish_reason: null, ...choice }] : [];
  return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, usage: used })}\n\n`;
}

/** Each answer differs; otherwise later ones would come from the speech cache. */
function nextAnswer(): string {
  answers += 1;
  return `We deliver order ${answers} within three working days.`;
}

function streamed(answer: string): string {
  const words = answer.split(/(?<= )/).map((content) => chunk({ delta: { content } }));
  const first = chunk({ delta: { role: 'assistant', content: '' } });
  return [first, ...words, chunk({ delta: {}, finish_reason: 'stop' }), chunk(null, usage), 'data: [DONE]\n\n'].join('');
}

function whole(answer: string): string {
  const message = { role: 'assistant', content: answer };
  return JSON.stringify({ ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}

async function spokenAnswer(): Promise<Uint8Array> {
  const sentences = await spokenSentences(16_000);
  const sound = joinSamples(sentences).subarray(0, (16_000 * answerMs) / 1000);
  return bytesFromSamples(await resample(sound, 16_000, speechRate));
}

async function main(): Promise<void> {
  const sound = await spokenAnswer();
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/audio/speech')) {
      await buffer(request);
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(sound);
    } else if (request.url?.endsWith('/audio/transcriptions')) {
      await buffer(request);
      // A question that the demo's knowledge does not answer; otherwise there would be another, longer answer than the model's.
      const heard = { text: 'Could you sing something for my grandmother?', language: 'english' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(heard));
    } else {
      const isStreamed = (await text(request)).includes('"stream":true');
      const type = isStreamed ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type }).end(isStreamed ? streamed(nextAnswer()) : whole(nextAnswer()));
    }
  });
  server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
}

void main();
