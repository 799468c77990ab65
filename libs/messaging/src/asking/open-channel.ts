import { type ChannelContract, Fault } from '@parley/contracts';
import type { z } from 'zod';
import type { Endpoint } from '../endpoint';
import { LiveLine } from '../line/live-line';
import type { AskOptions, Channel } from '../service-bus';
import { asAnswerFault, decodeBody, parse } from '../wire/body';
import { type Frame, LineAccepted } from '../wire/frame';
import { Conversation, OutgoingCall, textOfRequest, unexpected } from './ask';

interface Opened<Accepted, Signal> {
  accepted: Accepted;
  channel: Channel<Signal>;
}

/** The calling end of a live line: asks for it, and holds it once it is accepted. */
export async function openChannel<Accepted extends z.ZodType, Signal extends z.ZodType>(
  endpoint: Endpoint,
  contract: ChannelContract<z.ZodType, Accepted, Signal>,
  opening: unknown,
  options: AskOptions,
): Promise<Opened<z.output<Accepted>, z.output<Signal>>> {
  const text = textOfRequest(contract.opening, opening);
  const call = new OutgoingCall(contract, options);
  return new Promise((resolve, reject) => {
    let line: LiveLine<Signal> | undefined;
    const accept = (frame: Frame) => {
      if (frame.kind !== 'accept') return conversation.giveUp(unexpected(frame.kind));
      const taken = readAccepted(contract, frame);
      const opened = new LiveLine(endpoint, contract, taken.address);
      line = opened;
      call.stopClock();
      void opened.closed.then(() => conversation.finish());
      resolve({ accepted: taken.accepted, channel: opened });
    };
    const conversation = new Conversation(endpoint, call, contract.subject, {
      frame: (frame) => (line ? line.hear(frame) : attempt(() => accept(frame), conversation)),
      beat: () => line?.beat(conversation.address),
      isUrgent: true,
      failed: (fault) => {
        reject(fault);
        line?.close(fault.code);
      },
    });
    conversation.send(text);
  });
}

function attempt(work: () => void, conversation: Conversation): void {
  try {
    work();
  } catch (error) {
    const fault = asAnswerFault(error);
    conversation.giveUp(fault instanceof Fault ? fault : new Fault('INTERNAL', { cause: error }));
  }
}

function readAccepted<Accepted extends z.ZodType>(
  contract: { accepted: Accepted },
  frame: Frame,
): { address: string; accepted: z.output<Accepted> } {
  const { address, accepted } = decodeBody(LineAccepted, frame.body);
  return { address, accepted: parse(contract.accepted, accepted) };
}
