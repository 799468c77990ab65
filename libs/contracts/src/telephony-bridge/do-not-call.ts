import { z } from 'zod';
import { defineRequest } from '../messages';
import { createdOnExample, described, listOf, paging, PhoneNumberInput, SearchText, text, Timestamp, Uuid } from '../vocabulary';

const entryKey = '718395b6-4162-4384-9fa0-2b4c6d8e0f2a';
const numbersPerRequestMax = 10_000;

const DoNotCallEntry = described(
  'DoNotCallEntry',
  'A number that nothing calls: no campaign, and nobody by `call/place`.',
  z.object({ DoNotCallKeyID: Uuid, DoNotCallID: z.int(), ContactNumber: z.string(), reason: z.string(), CreatedOn: Timestamp }),
  {
    DoNotCallKeyID: entryKey,
    DoNotCallID: 1,
    ContactNumber: '+919820012345',
    reason: 'asked by the customer',
    CreatedOn: createdOnExample,
  },
);

export const addDoNotCall = defineRequest({
  subject: 'telephony-bridge.do-not-call.add',
  request: described(
    'AddDoNotCallRequest',
    'Numbers that shall not be called any more.',
    z.object({ ContactNumbers: z.array(PhoneNumberInput).min(1).max(numbersPerRequestMax), reason: text(200).default('') }),
    { ContactNumbers: ['+919820012345'], reason: 'asked by the customer' },
  ),
  reply: described(
    'AddedDoNotCall',
    'What became of each number.',
    z.object({
      addedCount: z.int().min(0),
      results: z.array(z.object({ ContactNumber: z.string(), outcome: z.enum(['ADDED', 'ALREADY_LISTED', 'INVALID']) })),
    }),
    { addedCount: 1, results: [{ ContactNumber: '+919820012345', outcome: 'ADDED' }] },
  ),
});

export const listDoNotCall = defineRequest({
  subject: 'telephony-bridge.do-not-call.list',
  request: described(
    'DoNotCallQuery',
    'Which numbers.',
    z.object({ searchName: SearchText, ...paging(['CreatedOn', 'ContactNumber']) }),
    { searchName: '+9198', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('DoNotCallPage', DoNotCallEntry),
});

export const removeDoNotCall = defineRequest({
  subject: 'telephony-bridge.do-not-call.remove',
  request: described('DoNotCallChoice', 'One entry.', z.object({ DoNotCallKeyID: Uuid }), { DoNotCallKeyID: entryKey }),
  reply: DoNotCallEntry,
});
