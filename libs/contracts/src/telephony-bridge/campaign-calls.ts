import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, sessionExample, Uuid } from '../vocabulary';

const aMonth = 43_200;

/** The variable by which a conversation is known to be a campaign’s; its value is the campaign’s integer id. */
export const campaignVariable = 'CampaignID';

const SaidOfCall = described(
  'SaidOfCall',
  'Whether it was done: not where the conversation is no call of a campaign, or is over.',
  z.object({ isDone: z.boolean() }),
  { isDone: true },
);

/** For the agent's tool: the person on the line asks to be called again. */
export const bookCampaignCall = defineRequest({
  subject: 'telephony-bridge.campaign.book',
  request: described(
    'BookCampaignCallRequest',
    'The conversation, and in how many minutes its contact is to be called again.',
    z.object({ sessionUUID: Uuid, minutes: z.int().min(1).max(aMonth) }),
    { sessionUUID: sessionExample, minutes: 90 },
  ),
  reply: SaidOfCall,
});

/** For the agent's tool: the person on the line asks not to be called any more. */
export const stopCampaignCalls = defineRequest({
  subject: 'telephony-bridge.campaign.stop-calls',
  request: described(
    'StopCampaignCallsRequest',
    'The conversation whose contact is never to be called again.',
    z.object({ sessionUUID: Uuid }),
    { sessionUUID: sessionExample },
  ),
  reply: SaidOfCall,
});
