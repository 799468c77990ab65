import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, described, RecordId, Switch, text, TextualId, Timestamp, updatedOnExample, Uuid } from '../vocabulary';
import { AgentTool, toolExample } from './agent-tools';
import { callSettings } from './call-settings';

const providerChain = z.array(RecordId).max(3);

/** The fields that the specification names. */
const specified = {
  AgentID: RecordId,
  TranscribeID: RecordId,
  TranscribeProviderID: RecordId,
  IsAllowInteruption: Switch,
  IsBackgroundNoiceFilter: Switch,
  BackgroundNoiceFilterCount: z.int().min(0).max(100),
  IsEnableDTMF: Switch,
};

/** The models behind an agent. Null means the installation's default. */
const models = {
  LLMProviderID: RecordId.nullable().default(null),
  LLMModelID: RecordId.nullable().default(null),
  LLMFallbackModelIDs: providerChain.default([]),
  Temperature: z.number().min(0).max(2).default(0.4),
  MaxTokens: z.int().min(16).max(8192).default(512),
  VoiceProviderID: RecordId.nullable().default(null),
  VoiceID: RecordId.nullable().default(null),
  VoiceSpeed: z.number().min(0.7).max(1.2).default(1),
  FallbackVoiceIDs: providerChain.default([]),
  FallbackTranscribeIDs: providerChain.default([]),
};

const operations = {
  Tools: z.array(AgentTool).max(32).default([]),
  TransferNumbers: z.array(z.object({ name: text(80), number: z.e164() })).max(20).default([]),
  WebhookURL: z.url({ protocol: /^https?$/ }).max(2048).nullable().default(null),
};

const values = {
  AgentID: 12, TranscribeID: 1, TranscribeProviderID: 1, IsAllowInteruption: 1, IsBackgroundNoiceFilter: 1,
  BackgroundNoiceFilterCount: 60, IsEnableDTMF: 0,
} as const;

export const RuntimeSettings = z.object({ ...specified, ...models, ...callSettings, ...operations });
export type RuntimeSettings = z.output<typeof RuntimeSettings>;

type ChosenRecognizer = Pick<RuntimeSettings, 'AgentID' | 'TranscribeID' | 'TranscribeProviderID'>;

/** What an agent works with until somebody saves a configuration for it. */
export function defaultRuntimeSettings(chosen: ChosenRecognizer): RuntimeSettings {
  const filter = { IsBackgroundNoiceFilter: 1, BackgroundNoiceFilterCount: 60 };
  return RuntimeSettings.parse({ ...chosen, ...filter, IsAllowInteruption: 1, IsEnableDTMF: 1 });
}

/** How an agent hears, thinks and speaks. */
export const RuntimeConfig = described(
  'RuntimeConfig',
  'The runtime configuration of an agent, defaults filled in.',
  RuntimeSettings.extend({ AgentKeyID: Uuid, Version: z.int().min(1), UpdatedOn: Timestamp }),
  { ...values, AgentKeyID: agentKeyExample, Version: 3, UpdatedOn: updatedOnExample },
);
export type RuntimeConfig = z.output<typeof RuntimeConfig>;

/** A configuration for the examples of other schemas. */
export const runtimeConfigExample = { ...values, AgentKeyID: agentKeyExample, Version: 3, UpdatedOn: updatedOnExample };

export const saveRuntimeConfig = defineRequest({
  subject: 'agent-config.runtime-config.save',
  request: described(
    'SaveRuntimeConfigRequest',
    'The runtime configuration of an agent. What is left out gets its default. `Version` refuses a save over a version of ' +
      'the agent that the client has not seen.',
    RuntimeSettings.extend({ Version: z.int().min(1).optional() }),
    values,
    {
      ...values, LLMProviderID: 1, LLMModelID: 1, Temperature: 0.2, VoiceProviderID: 1, VoiceID: 3, VoiceSpeed: 1.1,
      Tools: [toolExample],
    },
  ),
  reply: RuntimeConfig,
});

export const getRuntimeConfig = defineRequest({
  subject: 'agent-config.runtime-config.get',
  request: described(
    'RuntimeConfigChoice',
    'One agent, by either of its ids.',
    z
      .object({ AgentID: TextualId.optional(), AgentKeyID: Uuid.optional() })
      .refine((query) => Boolean(query.AgentID ?? query.AgentKeyID), { path: ['AgentKeyID'], error: 'is required, or AgentID' }),
    { AgentKeyID: agentKeyExample },
    { AgentID: '12' },
  ),
  reply: RuntimeConfig,
});
