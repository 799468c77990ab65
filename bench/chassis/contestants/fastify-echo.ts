// The lower bound: Fastify answering with a constant, nothing else.
import Fastify from 'fastify';

async function main(): Promise<void> {
  const server = Fastify();
  server.get('/', () => ({ statusCode: 200, message: 'OK', data: { activeCalls: 0, limit: 10, byAgent: [] } }));
  await server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
  process.stdout.write('listening\n');
}

void main();
