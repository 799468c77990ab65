// A model with OpenAI's protocol whose first word contains the time at which it was sent. On request it never stops talking.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const thinkingMs = 60;
/** Well below the time after which a silent model is given up. */
const betweenWordsMs = 4000;
const common = { id: 'c', created: 1, model: 'stub', object: 'chat.completion.chunk' };

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ ...common, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;

const server = createServer(async (request, response) => {
  const holdsOn = Buffer.concat(await request.toArray())
    .toString()
    .includes('hold on');
  await delay(thinkingMs);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ delta: { content: `left@${process.hrtime.bigint()} ` } }));
  if (holdsOn) {
    const talking = setInterval(() => response.write(chunk({ delta: { content: 'on ' } })), betweenWordsMs);
    return void response.on('close', () => clearInterval(talking));
  }
  response.end(`${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
