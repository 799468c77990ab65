import {
  deleteAgent,
  diffAgentVersions,
  duplicateAgent,
  getAgent,
  getAgentVersion,
  listAgents,
  listAgentVersions,
  previewPrompt,
  readAgentRecord,
  restoreAgentVersion,
  saveAgent,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

/** Agents and their versions. */
export const agentRoutes = table('Agents', '/api/v1/external/agent', [
  post('/agent-list', listAgents, 'List agents', { keys: ['wsk'], needs: 'agents.CanView' }),
  post('/add-update-agent', saveAgent, 'Create or update an agent', {
    before: readAgentRecord,
    keys: ['wsk'],
    needs: { create: 'agents.CanAdd', update: 'agents.CanUpdate', by: ['AgentKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/get-agent', getAgent, 'Read one agent', { keys: ['wsk'], needs: 'agents.CanView', faults: ['NOT_FOUND'] }),
  post('/preview-prompt', previewPrompt, 'See the prompt of an agent as a model is sent it', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  del('/:AgentKeyID', deleteAgent, 'Delete an agent', {
    before: readAgentRecord,
    keys: ['wsk'],
    needs: 'agents.CanDelete',
    faults: ['NOT_FOUND'],
  }),
  post('/duplicate-agent', duplicateAgent, 'Copy an agent', { keys: ['wsk'], needs: 'agents.CanAdd', faults: ['NOT_FOUND'] }),
  post('/agent-version-list', listAgentVersions, 'List the versions of an agent', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/get-agent-version', getAgentVersion, 'Read one version of an agent', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/diff-agent-versions', diffAgentVersions, 'Compare two versions of an agent', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/restore-agent-version', restoreAgentVersion, 'Go back to a version of an agent', {
    before: readAgentRecord,
    keys: ['wsk'],
    needs: 'agents.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);
