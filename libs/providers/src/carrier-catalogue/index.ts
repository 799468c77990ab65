import type { CarrierDescriptor } from '@parley/ports';
import { asteriskAudioSocket } from '../asterisk-audiosocket';
import { asteriskWebSocket } from '../asterisk-websocket';
import { audioFork } from '../audio-fork';
import { exotel } from '../exotel';
import { loopback } from '../loopback';
import { plivo } from '../plivo';
import { sip } from '../sip';
import { telnyx } from '../telnyx';
import { twilio } from '../twilio';
import { vonage } from '../vonage';

/** The telephone carriers of this build. */
export const carriers: readonly CarrierDescriptor[] = [
  twilio,
  plivo,
  exotel,
  vonage,
  telnyx,
  asteriskAudioSocket,
  asteriskWebSocket,
  audioFork,
  sip,
  loopback,
];
