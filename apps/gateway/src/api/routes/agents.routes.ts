import {
  deleteAgent,
  deleteProviderKey,
  diffAgentVersions,
  duplicateAgent,
  getAgent,
  getAgentVersion,
  getRuntimeConfig,
  listAgents,
  listAgentTemplates,
  listAgentTypes,
  listAgentVersions,
  listIcons,
  listIndustries,
  listLanguages,
  listLlmModels,
  listLlmProviders,
  listProviderKeys,
  listRegions,
  listRoles,
  listSalesUserChoices,
  listTimeZones,
  listTones,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
  previewPrompt,
  readAgentRecord,
  restoreAgentVersion,
  saveAgent,
  saveRuntimeConfig,
  setProviderKey,
  testProviderKey,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

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
  post('/preview-prompt', previewPrompt, 'Preview the prompt of an agent as it is sent to a model', {
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
  post('/restore-agent-version', restoreAgentVersion, 'Restore a version of an agent', {
    before: readAgentRecord,
    keys: ['wsk'],
    needs: 'agents.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);

/** Runtime configuration, providers, and an organization's own provider keys. */
export const agentConfigRoutes = table('Agent configuration', '/api/v1/external/agent-config', [
  get('/llm-provider-list', listLlmProviders, 'List language-model providers', { keys: ['wsk'], needs: 'agents.CanView' }),
  get('/llm-model-list', listLlmModels, 'List the models of a provider', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/voice-provider-list', listVoiceProviders, 'List text-to-speech engines', { keys: ['wsk'], needs: 'agents.CanView' }),
  get('/voice-model-list', listVoiceModels, 'List the voices of a provider', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/transcribe-provider-list', listTranscribeProviders, 'List speech-to-text providers', {
    keys: ['wsk'],
    needs: 'agents.CanView',
  }),
  get('/transcribe-model-list', listTranscribeModels, 'List the speech-to-text models of a provider', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/insert-agent-config', saveRuntimeConfig, 'Save the runtime configuration of an agent', {
    before: getRuntimeConfig,
    keys: ['wsk'],
    needs: 'agents.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT', 'PROVIDER_NOT_CONFIGURED'],
  }),
  get('/get-agent-config', getRuntimeConfig, 'Read the runtime configuration of an agent', {
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/provider-key/list', listProviderKeys, 'List the organization’s provider keys', {
    keys: ['wsk'],
    needs: 'integrations.CanView',
  }),
  post('/provider-key/set', setProviderKey, 'Set the organization’s key of a provider', {
    before: listProviderKeys,
    beforeRow: ['providerKind', 'providerID'],
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  post('/provider-key/test', testProviderKey, 'Test a key of a provider', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED'],
  }),
  del('/provider-key/:ProviderCredentialKeyID', deleteProviderKey, 'Delete a provider key', {
    before: listProviderKeys,
    beforeRow: ['ProviderCredentialKeyID'],
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND'],
  }),
]);

/** The tables that forms choose from. */
export const lookupRoutes = table('Lookups', '/api/v1/external/lookup', [
  get('/agent-types', listAgentTypes, 'List agent types', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/regions', listRegions, 'List regions', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/timezones', listTimeZones, 'List time zones', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/industries', listIndustries, 'List industries', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/tones', listTones, 'List tones', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/icons', listIcons, 'List icons', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/languages', listLanguages, 'List languages', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/roles', listRoles, 'List roles', { keys: ['wsk'], needs: 'membership', revalidates: true }),
  get('/sales-users', listSalesUserChoices, 'List representatives to choose from', { keys: ['wsk'], needs: 'contacts.CanView' }),
  get('/agent-templates', listAgentTemplates, 'List agent templates', { keys: ['wsk'], needs: 'membership', revalidates: true }),
]);
