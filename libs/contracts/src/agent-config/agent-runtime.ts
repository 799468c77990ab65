import { z } from 'zod';
import { defineRequest } from '../messages';
import { agentKeyExample, described, kbKeyExample, RecordId, SpeechLanguage, Uuid } from '../vocabulary';
import { RuntimeConfig, runtimeConfigExample } from './runtime-config';

/** Everything that a turn needs to know about its agent, in one message. Cached by the reader until `agentChanged`. */
export const AgentRuntime = described(
  'AgentRuntime',
  'An agent as conversations and calls use it.',
  z.object({
    AgentID: z.int(),
    AgentKeyID: Uuid,
    Version: z.int(),
    AgentName: z.string(),
    language: SpeechLanguage,
    timezone: z.string(),
    SystemPrompt: z.string(),
    Greeting: z.string(),
    KBID: z.int().nullable(),
    KBKeyID: Uuid.nullable(),
    RuntimeConfiguration: RuntimeConfig,
    /** False while nobody has saved a configuration: its choices are then defaults, and the installation may know better. */
    isConfigured: z.boolean().default(true),
  }),
  {
    AgentID: 12,
    AgentKeyID: agentKeyExample,
    Version: 3,
    AgentName: 'Maya',
    language: 'english',
    timezone: 'Asia/Kolkata',
    SystemPrompt: 'You are Maya …',
    Greeting: 'Hello!',
    KBID: 4,
    KBKeyID: kbKeyExample,
    RuntimeConfiguration: runtimeConfigExample,
  },
);
export type AgentRuntime = z.output<typeof AgentRuntime>;

/** For other services: an agent of the caller's organization, deleted ones are NOT_FOUND. */
export const readAgentRuntime = defineRequest({
  subject: 'agent-config.agent.runtime',
  timeoutMs: 3000,
  request: described(
    'AgentRuntimeRequest',
    'One agent, by either of its ids.',
    z
      .object({ AgentID: RecordId.optional(), AgentKeyID: Uuid.optional() })
      .refine((body) => Boolean(body.AgentID ?? body.AgentKeyID), { path: ['AgentID'], error: 'is required, or AgentKeyID' }),
    { AgentID: 12 },
    { AgentKeyID: agentKeyExample },
  ),
  reply: AgentRuntime,
});

/** The voices that an agent's builder chose, in their order. */
export function chosenVoicesOf({ RuntimeConfiguration: { VoiceID, FallbackVoiceIDs } }: AgentRuntime): number[] {
  return [...(VoiceID === null ? [] : [VoiceID]), ...FallbackVoiceIDs];
}

/** The speech-to-text models that an agent's builder chose, in their order. */
export function chosenTranscribersOf({ isConfigured, RuntimeConfiguration }: AgentRuntime): number[] {
  return isConfigured ? [RuntimeConfiguration.TranscribeID, ...RuntimeConfiguration.FallbackTranscribeIDs] : [];
}
