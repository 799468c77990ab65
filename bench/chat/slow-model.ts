// A model with OpenAI's protocol that takes 60 ms per answer, streamed or whole.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const thinkingMs = 60;
const answer = 'We are glad to help.';
const usage = { prompt_tokens: 200, completion_tokens: 6, total_tokens: 206 };
const common = { id: 'c', created: 1, model: 'slow' };

const chunk = (choice: object | null, used: object | null = null): string => {
  const choices = choice ? [{ index: 0, finish_reason: null, ...choice }] : [];
  return `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, usage: used })}\n\n`;
};
const streamed = [
  chunk({ delta: { role: 'assistant', content: '' } }),
  ...answer.split(/(?<= )/).map((content) => chunk({ delta: { content } })),
  chunk({ delta: {}, finish_reason: 'stop' }),
  chunk(null, usage),
  'data: [DONE]\n\n',
].join('');
const message = { role: 'assistant', content: answer };
const whole = JSON.stringify({
  ...common,
  object: 'chat.completion',
  choices: [{ index: 0, message, finish_reason: 'stop' }],
  usage,
});

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  await delay(thinkingMs);
  const isStreamed = body.includes('"stream":true');
  response
    .writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' })
    .end(isStreamed ? streamed : whole);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
