import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  listOf,
  Nothing,
  paging,
  PhoneNumberInput,
  RecordId,
  requiredWhenNew,
  SearchText,
  secret,
  Switch,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
  wholeListOf,
} from '../vocabulary';

const number = 'ab5c7d9e-1f20-4b3c-8d4e-5f6071829304';
const account = '9a4b6c8d-0e1f-4a2b-8c3d-4e5f60718293';

/** The carriers that adapters exist for; a test of the telephony bridge compares them. */
export const carrierNames = [
  ...['twilio', 'plivo', 'exotel', 'vonage', 'telnyx'],
  ...['asterisk-audiosocket', 'asterisk-websocket', 'audio-fork', 'sip', 'loopback'],
] as const;

/**
 * The name of a carrier. The document lists those of this build; which of them an installation has, its telephony bridge knows, and
 * refuses the others.
 */
export const CarrierName = described(
  'CarrierName',
  'A carrier, from `number/carriers`.',
  z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,31}$/, `must be one of ${carrierNames.join(', ')}`)
    .meta({ enum: carrierNames }),
  'twilio',
);

/** An address to call: a telephone number, a short code or the user of a SIP address. */
export const CalledAddress = filledText(80, 1).refine(
  (address) => /^\+?[\w.!~*'()&=$,;?/-]+$/.test(address),
  'must be a number such as +912025501234, or a SIP user',
);

/** A number and the agent who answers it. */
const PhoneNumber = described(
  'PhoneNumber',
  'A called number and the agent who answers it.',
  z.object({
    NumberKeyID: Uuid,
    NumberID: z.int(),
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    carrier: CarrierName,
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

/** The stored fields of a number, with their defaults. */
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
    'A new number (`NumberKeyID` null), which needs `CarrierAccountKeyID`, `number` and `AgentID`; or the changes to one. The default number’s agent also ' +
      'answers calls to numbers of its account that are not listed here. Saving another number as default replaces it.',
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

const settingsMax = 20;

/** ISO 3166, two letters. */
const Country = z.string().regex(/^[A-Z]{2}$/, 'must be a country in two capital letters, such as DE');

/** Only the carrier's adapter knows which of them are secret, so all are treated as such. */
const Credentials = z
  .record(z.string().max(64), secret(text(4096).nullable()))
  .refine((settings) => Object.keys(settings).length <= settingsMax, `must have at most ${settingsMax} entries`);

/** An organization's account with a carrier. Its credentials are stored encrypted and never read back. */
const CarrierAccount = described(
  'CarrierAccount',
  'An account with a carrier, without its secrets. The two addresses are to be entered at the carrier.',
  z.object({
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    carrier: CarrierName,
    AccountName: z.string(),
    country: z.string().nullable(),
    credentialFields: z.array(z.string()),
    webhookURL: z.string(),
    statusURL: z.string(),
    lastTestedOn: Timestamp.nullable(),
    isWorking: z.boolean().nullable(),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  {
    CarrierAccountKeyID: account,
    CarrierAccountID: 2,
    carrier: 'twilio',
    AccountName: 'Main line',
    country: null,
    credentialFields: ['accountSid', 'authToken'],
    webhookURL: `https://voice.example/telephony/twilio/${account}/answer`,
    statusURL: `https://voice.example/telephony/twilio/${account}/status`,
    lastTestedOn: null,
    isWorking: null,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

export const saveCarrierAccount = defineRequest({
  subject: 'telephony-bridge.carrier-account.save',
  request: described(
    'SaveCarrierAccountRequest',
    'A new account (`CarrierAccountKeyID` null), which needs every field; or the changes to one.',
    z
      .object({
        CarrierAccountKeyID: Uuid.nullish(),
        carrier: CarrierName.optional(),
        AccountName: filledText(80).optional(),
        country: Country.nullish(),
        credentials: Credentials.optional(),
      })
      .superRefine(requiredWhenNew('CarrierAccountKeyID', ['carrier', 'AccountName', 'credentials'])),
    {
      CarrierAccountKeyID: null,
      carrier: 'twilio',
      AccountName: 'Main line',
      credentials: { accountSid: 'AC00000000000000000000000000000000', authToken: 'EXAMPLE-ONLY' },
    },
    { CarrierAccountKeyID: account, AccountName: 'Second line', country: 'DE' },
  ),
  reply: CarrierAccount,
});

export const listCarrierAccounts = defineRequest({
  subject: 'telephony-bridge.carrier-account.list',
  request: Nothing,
  reply: wholeListOf('CarrierAccounts', CarrierAccount),
});

const AccountChoice = described('CarrierAccountChoice', 'One account.', z.object({ CarrierAccountKeyID: Uuid }), {
  CarrierAccountKeyID: account,
});

/** Sends the carrier a request that costs nothing. */
export const testCarrierAccount = defineRequest({
  subject: 'telephony-bridge.carrier-account.test',
  timeoutMs: 20_000,
  request: AccountChoice,
  reply: described(
    'TestedCarrierAccount',
    'Whether the carrier accepted the credentials.',
    z.object({ isWorking: z.boolean(), reason: z.string().nullable(), latencyMs: z.int().min(0) }),
    { isWorking: false, reason: 'The carrier answered 401.', latencyMs: 210 },
  ),
});

/** An account that still has numbers is CONFLICT: delete these first. */
export const deleteCarrierAccount = defineRequest({
  subject: 'telephony-bridge.carrier-account.delete',
  request: AccountChoice,
  reply: CarrierAccount,
});

/** The carriers that this installation supports, and the settings each requires. */
export const listCarriers = defineRequest({
  subject: 'telephony-bridge.carrier.list',
  request: Nothing,
  reply: wholeListOf(
    'Carriers',
    described(
      'Carrier',
      'A carrier that this installation can connect to.',
      z.object({
        carrier: CarrierName,
        label: z.string(),
        credentials: z.array(z.object({ name: z.string(), label: z.string(), isSecret: z.boolean(), isRequired: z.boolean() })),
      }),
      {
        carrier: 'twilio',
        label: 'Twilio',
        credentials: [{ name: 'authToken', label: 'Auth token', isSecret: true, isRequired: true }],
      },
    ),
  ),
});

const entryKey = '718395b6-4162-4384-9fa0-2b4c6d8e0f2a';
const numbersPerRequestMax = 10_000;

const DoNotCallEntry = described(
  'DoNotCallEntry',
  'A number that is never called, neither by a campaign nor by `call/place`.',
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
    'Numbers that must no longer be called.',
    z.object({ ContactNumbers: z.array(PhoneNumberInput).min(1).max(numbersPerRequestMax), reason: text(200).default('') }),
    { ContactNumbers: ['+919820012345'], reason: 'asked by the customer' },
  ),
  reply: described(
    'AddedDoNotCall',
    'The outcome for each number.',
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

const DoNotCallChoice = described('DoNotCallChoice', 'One entry.', z.object({ DoNotCallKeyID: Uuid }), {
  DoNotCallKeyID: entryKey,
});

/** For the audit log. */
export const readDoNotCall = defineRequest({
  subject: 'telephony-bridge.do-not-call.read',
  request: DoNotCallChoice,
  reply: DoNotCallEntry,
});

export const removeDoNotCall = defineRequest({
  subject: 'telephony-bridge.do-not-call.remove',
  request: DoNotCallChoice,
  reply: DoNotCallEntry,
});
