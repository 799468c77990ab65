import { type ChannelContract, Fault } from '@parley/contracts';
import type { z } from 'zod';
import { LiveLine } from '../line/live-line';
import type { Channel } from '../service-bus';
import { asAnswerFault, decodeBody, encodeBody, parse } from '../wire/body';
import { decodeFrame, encodeFrame, LineAccepted } from '../wire/frame';
import { type Desk, type Handler, invoke, type Request, type ServedCall, type Work } from './desk';

/** What the handler of a channel returns when it takes the line: its word for the caller, and what to do on the line. */
export interface AcceptedLine<Accepted, Signal> {
  accepted: Accepted;
  /** The line closes when this resolves. */
  serve(channel: Channel<Signal>): Promise<void>;
}

/** Takes a live line when the handler does, and holds it until either side is through. */
export function serveChannel(desk: Desk, contract: ChannelContract, handler: Handler): Work {
  return async (request, call) => {
    const opening = decodeBody(contract.opening, request.body);
    const taken = await invoke(handler, opening, call);
    if (!isAcceptedLine(taken)) throw new TypeError(`the handler of ${contract.subject} accepted no line`);
    if (call.abandoned) throw call.abandoned;
    const accepted = textOfAccepted(contract, taken.accepted);
    call.withoutDeadline();
    await hold(desk, { contract, request, call }, { accepted, serve: taken.serve.bind(taken) });
  };
}

interface Line {
  readonly contract: ChannelContract;
  readonly request: Request;
  readonly call: ServedCall;
}

async function hold(desk: Desk, { contract, request, call }: Line, taken: AcceptedLine<unknown, unknown>): Promise<void> {
  const { inbox, pulse, transport, log } = desk.endpoint;
  const line = new LiveLine<z.ZodType>(desk.endpoint, contract, request.reply);
  const watch = pulse.watch({ beat: () => undefined, silent: () => line.close('the other side fell silent') });
  const address = inbox.open({
    receive: ({ data }) => {
      watch.heard();
      const frame = decodeFrame(data);
      if (frame) line.hear(frame);
    },
    lost: () => line.close('the connection was lost'),
  });
  const stopped = () => line.close(call.abandoned?.code ?? 'CANCELLED');
  call.signal.addEventListener('abort', stopped, { once: true });
  void line.closed.then(({ reason }) => call.abort(new Fault('CANCELLED', { cause: new Error(reason) })));
  const word = JSON.stringify({ address, accepted: taken.accepted });
  transport.publish(request.reply, encodeFrame('accept', 0, word));
  try {
    await taken.serve(line);
    line.close();
  } catch (error) {
    if (!call.signal.aborted) log.error({ err: error, subject: contract.subject }, 'The handler of a channel failed');
    line.close('failed');
  } finally {
    inbox.close(address);
    watch.stop();
  }
}

function textOfAccepted(contract: ChannelContract, accepted: unknown): unknown {
  try {
    encodeBody(LineAccepted, { address: '', accepted });
    parse(contract.accepted, accepted);
    return accepted;
  } catch (error) {
    throw asAnswerFault(error);
  }
}

function isAcceptedLine(value: unknown): value is AcceptedLine<unknown, unknown> {
  if (typeof value !== 'object' || value === null || !('accepted' in value) || !('serve' in value)) return false;
  return typeof value.serve === 'function';
}
