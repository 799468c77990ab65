import { z } from 'zod';
import { SentPrompt } from '../conversation/prompts';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  kbKeyExample,
  listOf,
  memberKeyExample,
  paging,
  RecordId,
  RecordIdOrZero,
  requiredWhenNew,
  SearchText,
  text,
  TextualId,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';
import { AgentTool, RuntimeConfig, runtimeConfigExample } from './runtime-config';

/** The fields of an agent that its builder decides, named as in the specification. */
const agentFields = {
  TemplateID: RecordIdOrZero,
  AgentName: filledText(30),
  AgentDescription: filledText(1200, 10),
  AgentTypeID: RecordId,
  RegionTypeID: RecordId,
  TimeZoneID: RecordId,
  IndustryTypeID: RecordId,
  LanguageID: RecordId,
  ToneID: RecordId,
  IconID: RecordId,
  AdminID: RecordIdOrZero.nullish(),
};

/** The same for examples. */
const agentFieldsExample = {
  TemplateID: 0,
  AgentName: 'Maya',
  AgentDescription: 'You are Maya, the front desk of Demo Bazaar. Answer about orders only.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
  AdminID: 31,
};

const identity = { AgentKeyID: agentKeyExample, AgentID: 12 };

export const AgentIdentity = described(
  'AgentIdentity',
  'Both ids of an agent, and its version.',
  z.object({ AgentKeyID: Uuid, AgentID: z.int(), Version: z.int().min(1) }),
  { ...identity, Version: 3 },
);

const agentExample = {
  ...identity,
  ...agentFieldsExample,
  SystemPrompt: 'You are Maya …',
  isSystemPromptOverridden: false,
  promptVariables: [{ name: 'name', default: 'friend' }],
  Greeting: 'Hello {{name}}, how can I help?',
  KBID: 4,
  KBKeyID: kbKeyExample,
  RuntimeConfiguration: runtimeConfigExample,
  Tools: [],
  Version: 3,
  CreatedOn: createdOnExample,
  UpdatedOn: updatedOnExample,
};

/** The full record of an agent. */
export const Agent = described(
  'Agent',
  'An agent with its composed system prompt and its runtime configuration.',
  z.object({
    AgentKeyID: Uuid,
    AgentID: z.int(),
    ...agentFields,
    // Stored before code points were counted, it may have more than 30.
    AgentName: z.string(),
    SystemPrompt: z.string(),
    isSystemPromptOverridden: z.boolean(),
    promptVariables: z.array(z.object({ name: z.string(), default: z.string().nullable() })),
    Greeting: z.string(),
    KBID: z.int().nullable(),
    KBKeyID: Uuid.nullable(),
    RuntimeConfiguration: RuntimeConfig.nullable(),
    Tools: z.array(AgentTool),
    Version: z.int().min(1),
    CreatedOn: Timestamp,
    UpdatedOn: Timestamp,
  }),
  agentExample,
);

const { AdminID, ...needed } = agentFields;
const Needed = z.object(needed);

const SaveAgentRequest = described(
  'SaveAgentRequest',
  'A new agent (`AgentKeyID` null), which needs every field from `TemplateID` to `IconID`; or the changes to one. A positive ' +
    '`TemplateID` supplies prompt and greeting, never the other fields. With `Version`, a save over a version not read is refused.',
  z
    .object({
      AgentKeyID: Uuid.nullish(),
      AdminID,
      ...Needed.partial().shape,
      SystemPrompt: text(20_000).nullish(),
      Greeting: text(1000).nullish(),
      KBID: RecordId.nullish(),
      Version: RecordId.optional(),
    })
    .superRefine(requiredWhenNew('AgentKeyID', Needed.keyof().options)),
  { AgentKeyID: null, ...agentFieldsExample, AdminID: null },
  { AgentKeyID: agentKeyExample, ...agentFieldsExample, Greeting: 'Namaste {{name}}!', KBID: 4, Version: 3 },
  { AgentKeyID: agentKeyExample, ToneID: 2, KBID: null },
);

export const saveAgent = defineRequest({
  subject: 'agent-config.agent.save',
  request: SaveAgentRequest,
  reply: described(
    'SavedAgent',
    'Both ids of the agent, its version, and the persona that its prompts begin with.',
    AgentIdentity.extend({ SystemPrompt: z.string() }),
    { ...identity, Version: 1, SystemPrompt: 'You are Maya …' },
  ),
});

const AgentRow = described(
  'AgentRow',
  'An agent as lists show it.',
  Agent.pick({
    AgentKeyID: true,
    AgentID: true,
    AgentName: true,
    AgentDescription: true,
    AgentTypeID: true,
    IndustryTypeID: true,
    LanguageID: true,
    ToneID: true,
    IconID: true,
    KBKeyID: true,
    KBID: true,
    Version: true,
    CreatedOn: true,
    UpdatedOn: true,
  }),
  {
    ...identity,
    AgentName: 'Maya',
    AgentDescription: agentFieldsExample.AgentDescription,
    AgentTypeID: 1,
    IndustryTypeID: 1,
    LanguageID: 1,
    ToneID: 1,
    IconID: 1,
    KBKeyID: kbKeyExample,
    KBID: 4,
    Version: 3,
    CreatedOn: createdOnExample,
    UpdatedOn: updatedOnExample,
  },
);

export const listAgents = defineRequest({
  subject: 'agent-config.agent.list',
  request: described(
    'AgentListQuery',
    'Which agents to list.',
    z.object({ searchName: SearchText, ...paging(['CreatedOn', 'UpdatedOn', 'AgentName', 'AgentID']) }),
    { searchName: '', pageNo: 1, pageSize: 20, sortColumn: 'CreatedOn', sortOrder: 'DESC' },
  ),
  reply: listOf('AgentPage', AgentRow),
});

export const AgentChoice = described('AgentChoice', 'One agent.', z.object({ AgentKeyID: Uuid }), {
  AgentKeyID: agentKeyExample,
});

const agentsNamedMax = 1000;

/**
 * For other services: which of these agents the caller's organization has. Agents of other organizations are left out; deleted
 * ones appear only in `agents`.
 */
export const findAgents = defineRequest({
  subject: 'agent-config.agent.find',
  timeoutMs: 3000,
  request: described('FindAgentsRequest', 'Agents by their ids.', z.object({ AgentIDs: z.array(RecordId).max(agentsNamedMax) }), {
    AgentIDs: [12, 13],
  }),
  reply: described(
    'FoundAgents',
    'The ids of existing agents, and the public ids of existing and deleted ones.',
    z.object({ AgentIDs: z.array(z.int()), agents: z.array(z.object({ AgentID: z.int(), AgentKeyID: Uuid })) }),
    { AgentIDs: [12], agents: [{ AgentID: 12, AgentKeyID: agentKeyExample }] },
  ),
});

/** For knowledge-ingest: the agents of the caller's organization that answer from a knowledge base. */
export const findKnowledgeAgents = defineRequest({
  subject: 'agent-config.agent.find-by-knowledge',
  timeoutMs: 3000,
  request: described('FindKnowledgeAgentsRequest', 'A knowledge base.', z.object({ KBID: RecordId }), { KBID: 4 }),
  reply: described('KnowledgeAgents', 'The agents that answer from it.', z.object({ AgentIDs: z.array(z.int()) }), {
    AgentIDs: [12],
  }),
});

export const getAgent = defineRequest({
  subject: 'agent-config.agent.get',
  timeoutMs: 10_000,
  request: AgentChoice,
  reply: described(
    'AgentWithPrompt',
    'An agent with the prompt that is sent to models; null while the service that composes prompts is unavailable.',
    Agent.extend({ PromptAsSent: SentPrompt.nullable() }),
    { ...agentExample, PromptAsSent: null },
  ),
});

/** The record alone, for the audit log. */
export const readAgentRecord = defineRequest({
  subject: 'agent-config.agent.record',
  onlyReads: true,
  request: AgentChoice,
  reply: Agent,
});

/** The record is kept for the logs; the agent's keys stop working. */
export const deleteAgent = defineRequest({ subject: 'agent-config.agent.delete', request: AgentChoice, reply: AgentIdentity });

export const duplicateAgent = defineRequest({
  subject: 'agent-config.agent.duplicate',
  request: described(
    'DuplicateAgentRequest',
    'The agent to copy, and the name of the copy.',
    z.object({ AgentKeyID: Uuid, AgentName: filledText(30).optional() }),
    { AgentKeyID: agentKeyExample, AgentName: 'Maya (copy)' },
  ),
  reply: AgentIdentity,
});

/** Running conversations use the new version from their next turn. */
export const agentChanged = defineEvent({
  subject: 'agent-config.agent.changed',
  payload: described('AgentChanged', 'A version of an agent was saved.', AgentIdentity, { ...identity, Version: 4 }),
});

export const agentDeleted = defineEvent({
  subject: 'agent-config.agent.deleted',
  payload: described('AgentDeleted', 'An agent was deleted; its keys must be revoked.', AgentIdentity, {
    ...identity,
    Version: 4,
  }),
});

const AgentVersionRow = described(
  'AgentVersionRow',
  'One version of an agent.',
  z.object({
    AgentVersionKeyID: Uuid,
    AgentVersionID: z.int(),
    Version: z.int().min(1),
    /** `memberAdminID` of the member who saved it; null for the platform itself. */
    savedBy: z.string().nullable(),
    changedFields: z.array(z.string()),
    restoredFrom: z.int().nullable(),
    CreatedOn: Timestamp,
  }),
  {
    AgentVersionKeyID: 'a1b3d5e7-9f1b-4d4f-8b6e-8a0c2e4f6b8d',
    AgentVersionID: 40,
    Version: 2,
    savedBy: memberKeyExample,
    changedFields: ['ToneID'],
    restoredFrom: null,
    CreatedOn: createdOnExample,
  },
);

export const listAgentVersions = defineRequest({
  subject: 'agent-config.agent-version.list',
  request: described(
    'AgentVersionListQuery',
    'The agent whose versions to list, newest first.',
    z.object({ AgentKeyID: Uuid, ...paging(['CreatedOn', 'Version']) }),
    { AgentKeyID: agentKeyExample, pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('AgentVersionPage', AgentVersionRow),
});

export const getAgentVersion = defineRequest({
  subject: 'agent-config.agent-version.get',
  request: described('AgentVersionChoice', 'One version of one agent.', z.object({ AgentKeyID: Uuid, Version: TextualId }), {
    AgentKeyID: agentKeyExample,
    Version: '2',
  }),
  reply: Agent,
});

export const diffAgentVersions = defineRequest({
  subject: 'agent-config.agent-version.diff',
  request: described(
    'AgentVersionPair',
    'Two versions of one agent.',
    z.object({ AgentKeyID: Uuid, fromVersion: TextualId, toVersion: TextualId }),
    { AgentKeyID: agentKeyExample, fromVersion: '1', toVersion: '2' },
  ),
  reply: described(
    'AgentVersionDiff',
    'What changed between two versions, field by field.',
    z.object({
      AgentKeyID: Uuid,
      AgentID: z.int(),
      fromVersion: z.int(),
      toVersion: z.int(),
      changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
    {
      AgentKeyID: agentKeyExample,
      AgentID: 12,
      fromVersion: 1,
      toVersion: 2,
      changes: [{ field: 'ToneID', before: 1, after: 3 }],
    },
  ),
});

/** Restoring creates a new version equal to the old one: history is never rewritten. */
export const restoreAgentVersion = defineRequest({
  subject: 'agent-config.agent-version.restore',
  request: described('RestoreAgentVersionRequest', 'The version to restore.', z.object({ AgentKeyID: Uuid, Version: RecordId }), {
    AgentKeyID: agentKeyExample,
    Version: 2,
  }),
  reply: AgentIdentity,
});
