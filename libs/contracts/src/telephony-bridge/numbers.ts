import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  listOf,
  paging,
  RecordId,
  requiredWhenNew,
  SearchText,
  Switch,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';

const number = 'ab5c7d9e-1f20-4b3c-8d4e-5f6071829304';
const account = '9a4b6c8d-0e1f-4a2b-8c3d-4e5f60718293';

/** What is called: a telephone number, a short code or the user of a SIP address. */
export const CalledAddress = filledText(80, 1).refine(
  (address) => /^\+?[\w.!~*'()&=$,;?/-]+$/.test(address),
  'must be a number such as +912025501234, or a SIP user',
);

/** A number with the agent who answers it. */
const PhoneNumber = described(
  'PhoneNumber',
  'A called number and the agent who answers it.',
  z.object({
    NumberKeyID: Uuid,
    NumberID: z.int(),
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    carrier: z.string(),
    number: z.string(),
    label: z.string(),
    AgentID: z.int(),
    AgentKeyID: Uuid,
    isDefault: Switch,
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    NumberKeyID: number,
    NumberID: 4,
    CarrierAccountKeyID: account,
    CarrierAccountID: 2,
    carrier: 'twilio',
    number: '+912025501234',
    label: 'Front desk',
    AgentID: 12,
    AgentKeyID: agentKeyExample,
    isDefault: 1,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

/** What is kept of a number, with what holds where nobody said. */
export const NumberFields = z.object({
  CarrierAccountKeyID: Uuid,
  number: z.string(),
  label: z.string().default(''),
  AgentID: z.int(),
  isDefault: Switch.default(0),
});

export const saveNumber = defineRequest({
  subject: 'telephony-bridge.number.save',
  request: described(
    'SaveNumberRequest',
    'A new number (`NumberKeyID` null), which needs `CarrierAccountKeyID`, `number` and `AgentID`; or what changes of one. The agent of the default answers what its account is called ' +
      'by and no number says; saving another as default takes its place.',
    z
      .object({
        NumberKeyID: Uuid.nullish(),
        CarrierAccountKeyID: Uuid.optional(),
        number: CalledAddress.optional(),
        label: text(80).nullish(),
        AgentID: RecordId.optional(),
        isDefault: Switch.nullish(),
      })
      .superRefine(requiredWhenNew('NumberKeyID', ['CarrierAccountKeyID', 'number', 'AgentID'])),
    { NumberKeyID: null, CarrierAccountKeyID: account, number: '+912025501234', label: 'Front desk', AgentID: 12, isDefault: 1 },
    { NumberKeyID: number, AgentID: 13 },
  ),
  reply: PhoneNumber,
});

export const listNumbers = defineRequest({
  subject: 'telephony-bridge.number.list',
  request: described(
    'NumberListQuery',
    'Which numbers.',
    z.object({
      searchName: SearchText,
      AgentID: RecordId.nullish(),
      CarrierAccountKeyID: Uuid.nullish(),
      ...paging(['CreatedOn', 'UpdatedOn', 'number', 'label']),
    }),
    { searchName: '+9120', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('NumberPage', PhoneNumber),
});

const NumberChoice = described('NumberChoice', 'One number.', z.object({ NumberKeyID: Uuid }), { NumberKeyID: number });

export const getNumber = defineRequest({ subject: 'telephony-bridge.number.get', request: NumberChoice, reply: PhoneNumber });
export const deleteNumber = defineRequest({
  subject: 'telephony-bridge.number.delete',
  request: NumberChoice,
  reply: PhoneNumber,
});
