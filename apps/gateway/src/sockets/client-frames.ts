import { ClientFrame, Fault } from '@parley/contracts';
import { parseInput } from '../routes/complaints';

/** What a text frame says; a Fault for one that the protocol does not know. */
export function readClientFrame(text: string): ClientFrame {
  return parseInput(ClientFrame, parsed(text));
}

/** What is wrong with a piece of sound, if anything. */
export function complaintAbout(sound: Uint8Array, encoding: 'pcm16' | 'mulaw'): Fault | undefined {
  if (encoding === 'mulaw' || sound.byteLength % 2 === 0) return undefined;
  return new Fault('VALIDATION_FAILED', { message: 'Sound as pcm16 has two bytes a sample; this frame has half a sample.' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('MALFORMED_JSON', { message: 'A text frame must be JSON.', cause });
  }
}
