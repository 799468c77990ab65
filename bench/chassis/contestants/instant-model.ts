// A language model with OpenAI's protocol that answers instantly, for Portkey to forward to.
import { createServer } from 'node:http';

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'instant',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Within three working days.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
});

const server = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(answer));
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
