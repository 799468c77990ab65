import { z } from 'zod';
import { defineRequest, type ServiceName } from '../messages';
import { described } from '../vocabulary';

const Request = described('SealAgainRequest', 'No input.', z.object({}), {});

const Sealed = described(
  'SealedAgain',
  'How many secrets were sealed with the present key, and how many no key opens.',
  z.object({ sealed: z.int().min(0), unopened: z.int().min(0) }),
  { sealed: 12, unopened: 0 },
);

const timeoutMs = 120_000;

function sealAgainBy<Name extends ServiceName>(service: Name) {
  return defineRequest({ subject: `${service}.secret.seal`, request: Request, reply: Sealed, timeoutMs });
}

/** For the operator's command alone, after PARLEY_SECRET_KEY was changed: nothing stays behind under a former key. */
export const sealGatewaySecrets = sealAgainBy('gateway');
/** The same of the keys that organizations brought for their providers. */
export const sealProviderKeys = sealAgainBy('agent-config');
/** The same of the credentials for carriers. */
export const sealCarrierAccounts = sealAgainBy('telephony-bridge');
