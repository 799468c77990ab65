import type { SipRequest } from '../message/sip-message';

/** The key that an INFO presses, in either of the two forms that gateways use; nothing for any other INFO. */
export function digitIn({ headers, body }: SipRequest): string | undefined {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  const text = body.toString('latin1', 0, 256);
  if (type === 'application/dtmf-relay') return keyOf(/^Signal[ \t]*=[ \t]*([0-9*#A-D]{1,2})[ \t]*\r?$/im.exec(text)?.[1]);
  return type === 'application/dtmf' ? keyOf(/^[ \t]*([0-9*#A-D]{1,2})\s*$/i.exec(text)?.[1]) : undefined;
}

/** Some gateways write the event's number: 10 for the star and 11 for the hash. */
function keyOf(text: string | undefined): string | undefined {
  if (text === '10') return '*';
  if (text === '11') return '#';
  return text?.length === 1 ? text.toUpperCase() : undefined;
}
