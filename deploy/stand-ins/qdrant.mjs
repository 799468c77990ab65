// In the place of Qdrant where its image cannot be had: the calls that Parley makes, vectors in memory, gone with the container.
import { connect, createServer } from 'node:net';
import { QdrantServer } from './qdrant-server.mjs';

const { port } = new URL((await new QdrantServer(undefined).start()).url);
const door = createServer((socket) => {
  const behind = connect(Number(port), '127.0.0.1');
  for (const [one, other] of [
    [socket, behind],
    [behind, socket],
  ])
    one.on('error', () => other.destroy()).pipe(other);
}).listen(6333);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
door.on('error', (error) => {
  throw error;
});
