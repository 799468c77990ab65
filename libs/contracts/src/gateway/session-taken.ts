import { z } from 'zod';
import { defineEvent } from '../messages';
import { described, sessionExample, Uuid } from '../vocabulary';

/** A connection has begun a session: whichever gateway serves an older connection of it closes that. Nobody keeps it. */
export const sessionTaken = defineEvent({
  subject: 'gateway.session.taken',
  payload: described(
    'SessionTaken',
    'The session, and which connection has it.',
    z.object({ sessionUUID: Uuid, connection: Uuid }),
    {
      sessionUUID: sessionExample,
      connection: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293',
    },
  ),
});
