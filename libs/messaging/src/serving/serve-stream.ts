import type { StreamContract } from '@parley/contracts';
import type { Packet } from '../transport/transport';
import { asAnswerFault, decodeBody, encodeBody } from '../wire/body';
import { decodeTakenBytes, SendWindow } from '../wire/flow';
import { decodeFrame, encodeFrame } from '../wire/frame';
import { unavailable } from '../wire/unavailable';
import type { Desk, Request, Work } from './desk';
import { type Handler, invoke } from './handler';
import type { ServedCall } from './served-call';

/** Sends what the handler yields, no further ahead of the reader than its window. */
export function serveStream(desk: Desk, contract: StreamContract, handler: Handler): Work {
  return async (request, call) => {
    const body = decodeBody(contract.request, request.data);
    const { inbox, pulse, transport } = desk.endpoint;
    const window = new SendWindow();
    const watch = pulse.watch({ beat: () => undefined, silent: () => call.abort(unavailable('the reader fell silent')) });
    const letterbox = inbox.open((packet) => {
      watch.heard();
      hearReader(packet, window, call);
    });
    const stopLost = transport.onLost(() => call.abort(unavailable('the connection was lost')));
    transport.publish(request.reply, encodeFrame('accept', 0, letterbox.address));
    try {
      await produce(desk, { contract, request, call, window }, await invoke(handler, body, call));
    } finally {
      stopLost();
      letterbox.close();
      watch.stop();
    }
  };
}

interface Production {
  readonly contract: StreamContract;
  readonly request: Request;
  readonly call: ServedCall;
  readonly window: SendWindow;
}

function hearReader(packet: Packet, window: SendWindow, call: ServedCall): void {
  if (packet.nobodyListens) return call.abort(unavailable('the reader is gone'));
  const frame = decodeFrame(packet.data);
  if (frame?.kind === 'credit') window.credit({ items: frame.sequence, bytes: decodeTakenBytes(frame.body) });
}

async function produce(desk: Desk, { contract, request, call, window }: Production, items: unknown): Promise<void> {
  if (!isAsyncIterable(items)) throw new TypeError(`the handler of ${contract.subject} returned no async iterable`);
  const iterator = items[Symbol.asyncIterator]();
  const { transport } = desk.endpoint;
  let sent = 0;
  try {
    for (;;) {
      await window.room(call.signal);
      const next = await unlessAborted(iterator.next(), call.signal);
      if (next.done) break;
      const text = textOfItem(contract, next.value);
      sent = window.sent(Buffer.byteLength(text));
      transport.publish(request.reply, encodeFrame('item', sent, text));
    }
    transport.publish(request.reply, encodeFrame('end', sent + 1));
  } catch (error) {
    // A producer that waits for something else ends when that comes; it is not waited for.
    Promise.resolve(iterator.return?.()).catch((cause: unknown) => {
      desk.endpoint.log.warn({ err: cause, subject: contract.subject }, 'A producer failed while it was stopped');
    });
    throw error;
  }
}

function textOfItem(contract: StreamContract, item: unknown): string {
  try {
    return encodeBody(contract.item, item);
  } catch (error) {
    throw asAnswerFault(error);
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}
