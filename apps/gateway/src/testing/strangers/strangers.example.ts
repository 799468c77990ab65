// Runs in a process of its own, so that only the gateway's event loop is measured and not that of its attackers.
import { connect } from 'node:net';

const [, , portText = '', countText = '', secondsText = '', pathsText = ''] = process.argv;
const port = Number(portText);
const untilMs = Date.now() + Number(secondsText) * 1_000;
const answered = new Map<string, number>();

/** Headers that announce a large body. */
const heads = [
  'Content-Type: application/json\r\nContent-Length: 36000000',
  'Content-Type: application/json\r\nTransfer-Encoding: chunked',
  'Content-Type: application/json\r\nx-api-key: wsk_nobody\r\nContent-Length: 36000000',
  'Content-Type: application/json\r\nIdempotency-Key: one\r\nContent-Length: 900000',
  'Content-Type: multipart/form-data; boundary=b\r\nIdempotency-Key: one\r\nContent-Length: 36000000',
  'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 36000000',
  'Content-Type: text/plain\r\nTransfer-Encoding: chunked',
];
const paths = pathsText.split(',');
const pieces = ['[],'.repeat(20_000), '['.repeat(60_000), '{"a":'.repeat(12_000), `"${'x'.repeat(60_000)}",`];

function pieceOf(head: string, piece: string): Buffer {
  const text = head.includes('chunked') ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece;
  return Buffer.from(text);
}

/** Opens one connection after the other, each sending as much as the gateway accepts. */
function sendBodies(turn: number): void {
  if (Date.now() > untilMs) return;
  const head = heads[turn % heads.length] ?? '';
  const piece = pieceOf(head, pieces[turn % pieces.length] ?? '');
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(`POST ${paths[turn % paths.length]} HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n{"a":[`);
    sendPieces();
  });
  const sendPieces = (): void => {
    while (socket.writable && socket.write(piece));
  };
  const stop = setTimeout(() => socket.destroy(), 2_000);
  socket.on('drain', sendPieces);
  socket.on('data', (bytes: Buffer) => {
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(bytes.toString()) ?? [];
    if (status) answered.set(status, (answered.get(status) ?? 0) + 1);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(stop);
    sendBodies(turn + 1);
  });
}

for (let each = 0; each < Number(countText); each += 1) sendBodies(each);
process.on('exit', () => process.stdout.write(JSON.stringify(Object.fromEntries(answered))));
