import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  filledText,
  Nothing,
  RecordId,
  secret,
  Timestamp,
  Uuid,
  WebAddress,
  wholeListOf,
} from '../vocabulary';

const key = '44f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const providerKinds = ['LLM', 'VOICE', 'TRANSCRIBE'] as const;

/** An organization's own key of a provider. It is kept encrypted and never read back. */
const ProviderKey = described(
  'ProviderKey',
  'A provider key without its secret.',
  z.object({
    ProviderCredentialKeyID: Uuid,
    ProviderCredentialID: z.int(),
    providerKind: z.enum(providerKinds),
    providerID: z.int(),
    lastFour: z.string(),
    baseURL: z.string().nullable(),
    model: z.string().nullable(),
    lastTestedOn: Timestamp.nullable(),
    isWorking: z.boolean().nullable(),
    CreatedOn: Timestamp,
  }),
  {
    ProviderCredentialKeyID: key,
    ProviderCredentialID: 2,
    providerKind: 'LLM',
    providerID: 3,
    lastFour: '9aQz',
    baseURL: null,
    model: null,
    lastTestedOn: null,
    isWorking: null,
    CreatedOn: createdOnExample,
  },
);

const providerChoice = { providerKind: z.enum(providerKinds), providerID: RecordId };

/** One key for each provider of an organization: setting it again replaces it. */
export const setProviderKey = defineRequest({
  subject: 'agent-config.provider-key.set',
  request: described(
    'SetProviderKeyRequest',
    'A provider and the key to use for it. `baseURL` is a server of your own that speaks the provider’s protocol: https and ' +
      'public. `model` is what to ask it for where the catalogue does not say (openai-compatible).',
    z.object({
      ...providerChoice,
      key: secret(filledText(4096)),
      baseURL: WebAddress.nullish(),
      model: filledText(200).nullish(),
    }),
    { providerKind: 'LLM', providerID: 3, key: 'EXAMPLE-ONLY' },
    { providerKind: 'LLM', providerID: 5, key: 'EXAMPLE-ONLY', baseURL: 'https://models.example.com/v1', model: 'qwen3-8b' },
  ),
  reply: ProviderKey,
});

/** Asks the provider something free or nearly so. Without `key` the stored one is tried. */
export const testProviderKey = defineRequest({
  subject: 'agent-config.provider-key.test',
  timeoutMs: 20_000,
  request: described(
    'TestProviderKeyRequest',
    'A provider, and a key to try before it is stored.',
    z.object({ ...providerChoice, key: secret(filledText(4096)).optional(), baseURL: WebAddress.nullish() }),
    { providerKind: 'LLM', providerID: 3 },
  ),
  reply: described(
    'ProviderKeyTest',
    'Whether the provider took the key.',
    z.object({ isWorking: z.boolean(), reason: z.string().nullable(), latencyMs: z.int().min(0) }),
    { isWorking: false, reason: 'The provider answered 401.', latencyMs: 210 },
  ),
});

export const listProviderKeys = defineRequest({
  subject: 'agent-config.provider-key.list',
  request: Nothing,
  reply: wholeListOf('ProviderKeys', ProviderKey),
});

export const deleteProviderKey = defineRequest({
  subject: 'agent-config.provider-key.delete',
  request: described('ProviderKeyChoice', 'One provider key.', z.object({ ProviderCredentialKeyID: Uuid }), {
    ProviderCredentialKeyID: key,
  }),
  reply: ProviderKey,
});

/** A key of an organization was set or deleted: whoever remembers it reads it anew. */
export const providerKeyChanged = defineEvent({
  subject: 'agent-config.provider-key.changed',
  payload: described(
    'ProviderKeyChanged',
    'Whose key changed.',
    z.object({ providerKind: z.enum(providerKinds), providerID: z.int() }),
    { providerKind: 'VOICE', providerID: 5 },
  ),
});

/** For the services that talk with providers: the secret itself, never sent over the public door. */
export const readProviderSecret = defineRequest({
  subject: 'agent-config.provider-key.secret',
  timeoutMs: 3000,
  request: described('ProviderSecretRequest', 'One provider.', z.object(providerChoice), { providerKind: 'LLM', providerID: 3 }),
  reply: described(
    'ProviderSecret',
    'The organization’s own key, or null when it has none.',
    z.object({
      secret: z
        .object({ key: secret(z.string()), baseURL: z.string().nullable(), model: z.string().nullable().default(null) })
        .nullable(),
    }),
    { secret: { key: 'EXAMPLE-ONLY', baseURL: null, model: null } },
  ),
});
