import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  listOf,
  memberKeyExample,
  paging,
  RecordId,
  TextualId,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { Agent, AgentIdentity } from './agents';

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
    'Whose versions to list, the newest first.',
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

/** Restoring makes a new version that equals the old one: history is never rewritten. */
export const restoreAgentVersion = defineRequest({
  subject: 'agent-config.agent-version.restore',
  request: described(
    'RestoreAgentVersionRequest',
    'The version to go back to.',
    z.object({ AgentKeyID: Uuid, Version: RecordId }),
    { AgentKeyID: agentKeyExample, Version: 2 },
  ),
  reply: AgentIdentity,
});
