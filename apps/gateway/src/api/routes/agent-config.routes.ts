import {
  deleteProviderKey,
  getRuntimeConfig,
  listLlmModels,
  listLlmProviders,
  listProviderKeys,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
  saveRuntimeConfig,
  setProviderKey,
  testProviderKey,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

/** Runtime configuration, providers and an organization's own keys of them. */
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
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  post('/provider-key/test', testProviderKey, 'Try a key of a provider', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED'],
  }),
  del('/provider-key/:ProviderCredentialKeyID', deleteProviderKey, 'Delete a provider key', {
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND'],
  }),
]);
