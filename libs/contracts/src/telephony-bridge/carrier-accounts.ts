import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  filledText,
  Nothing,
  requiredWhenNew,
  secret,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
  wholeListOf,
} from '../vocabulary';

const account = '9a4b6c8d-0e1f-4a2b-8c3d-4e5f60718293';
const settingsMax = 20;

/** The name of a carrier as adapters bear it. The service says which ones it has. */
export const CarrierName = z.string().regex(/^[a-z][a-z0-9-]{1,31}$/, 'must be the name of a carrier such as twilio');

/** Which of them are secret only the carrier's adapter knows: none is written down anywhere. */
const Credentials = z
  .record(z.string().max(64), secret(text(4096)))
  .refine((settings) => Object.keys(settings).length <= settingsMax, `must have at most ${settingsMax} entries`);

/** An organization's account with a carrier. Its credentials are kept encrypted and never read back. */
const CarrierAccount = described(
  'CarrierAccount',
  'An account with a carrier, without its secrets. The two addresses are what to enter at the carrier.',
  z.object({
    CarrierAccountKeyID: Uuid,
    CarrierAccountID: z.int(),
    carrier: CarrierName,
    AccountName: z.string(),
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
    'A new account (`CarrierAccountKeyID` null), which needs every field; or what changes of one.',
    z
      .object({
        CarrierAccountKeyID: Uuid.nullish(),
        carrier: CarrierName.optional(),
        AccountName: filledText(80).optional(),
        credentials: Credentials.optional(),
      })
      .superRefine(requiredWhenNew('CarrierAccountKeyID', ['carrier', 'AccountName', 'credentials'])),
    {
      CarrierAccountKeyID: null,
      carrier: 'twilio',
      AccountName: 'Main line',
      credentials: { accountSid: 'AC00000000000000000000000000000000', authToken: 'EXAMPLE-ONLY' },
    },
    { CarrierAccountKeyID: account, AccountName: 'Second line' },
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

/** Asks the carrier something that costs nothing. */
export const testCarrierAccount = defineRequest({
  subject: 'telephony-bridge.carrier-account.test',
  timeoutMs: 20_000,
  request: AccountChoice,
  reply: described(
    'CarrierAccountTest',
    'Whether the carrier took the credentials.',
    z.object({ isWorking: z.boolean(), reason: z.string().nullable(), latencyMs: z.int().min(0) }),
    { isWorking: false, reason: 'The carrier answered 401.', latencyMs: 210 },
  ),
});

/** An account with numbers is CONFLICT: they go first. */
export const deleteCarrierAccount = defineRequest({
  subject: 'telephony-bridge.carrier-account.delete',
  request: AccountChoice,
  reply: CarrierAccount,
});

/** What this installation can be connected with, and what each wants to know. */
export const listCarriers = defineRequest({
  subject: 'telephony-bridge.carrier.list',
  request: Nothing,
  reply: wholeListOf(
    'Carriers',
    described(
      'Carrier',
      'A carrier that this installation can talk with.',
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
