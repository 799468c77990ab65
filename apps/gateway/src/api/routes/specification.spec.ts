import { recordOf } from '@parley/testing';
import { everyRoute } from './route-table';
import { handWritten } from '../hand-written';

const specified = `
POST /api/v1/external/team-management/get-InvitedTeamList
POST /api/v1/external/team-management/add-update-Invitation
GET /api/v1/external/team-management/get-InvitedTeamDetail?TeamInviteKeyID
GET /api/v1/external/team-management/my-access
GET /api/v1/external/team-management/my-organizations
POST /api/v1/external/team-management/invite/accept
DELETE /api/v1/external/team-management/invite/:teamInviteKeyID
DELETE /api/v1/external/team-management/member/:memberAdminID
POST /api/v1/external/team-management/reset-imei
POST /api/v1/external/SalesTeam/get-teamList
POST /api/v1/external/SalesUser/upload
POST /api/v1/external/SalesUser/add-update-Contacts
POST /api/v1/external/SalesUser/map-contacts
POST /api/v1/external/SalesUser/mapped-Customer-list
POST /api/v1/external/agent/agent-list
POST /api/v1/external/agent/add-update-agent
GET /api/v1/external/agent/get-agent?AgentKeyID
GET /api/v1/external/agent-config/llm-provider-list
GET /api/v1/external/agent-config/voice-provider-list
GET /api/v1/external/agent-config/voice-model-list?voiceProviderID
GET /api/v1/external/agent-config/transcribe-model-list?transcribeProviderID
GET /api/v1/external/agent-config/demo-voice?voiceID&voiceProviderID&speed
POST /api/v1/external/agent-config/insert-agent-config
POST /api/v1/external/kb/add-update-kb
POST /api/v1/external/kb/clear-qdrant
POST /api/v1/external/kb-doc/add-update
POST /api/v1/external/kb-faq/add-update-faq
POST /api/v1/external/kb-business-info/add-update
POST /api/v1/external/kb-catalog/add-update
POST /api/v1/external/logs/conversational-log-list
GET /api/v1/external/logs/get-conversational-log?ConversationalLogKeyID
POST /api/v1/ttt
POST /api/v1/tts/external
POST /api/v1/stt/external
POST /api/v1/external/chat
GET /api/v1/external/history?sessionUUID
WS /ws/sts
WS /ws/widgetchat
WS /ws/transcribe
GET /api/v1/external/dashboard-count/active-calls
POST /api/v1/external/dashboard-count/get-dashboard-count
POST /api/v1/external/campaign/get-campaign-dashboard
`;

const decided = `
POST /api/v1/external/integrations/keys
GET /api/v1/external/integrations/keys
POST /api/v1/external/integrations/keys/:IntegrationKeyID/rotate
DELETE /api/v1/external/integrations/keys/:IntegrationKeyID
POST /api/v1/external/integrations/widgets
GET /api/v1/external/integrations/widgets
POST /api/v1/external/session-token
POST /api/v1/external/widget-token
POST /api/v1/external/team-management/bind-imei
GET /api/v1/external/lookup/agent-types
GET /api/v1/external/lookup/regions
GET /api/v1/external/lookup/timezones
GET /api/v1/external/lookup/industries
GET /api/v1/external/lookup/tones
GET /api/v1/external/lookup/icons
GET /api/v1/external/lookup/languages
GET /api/v1/external/lookup/roles
GET /api/v1/external/lookup/sales-users
GET /api/v1/external/lookup/agent-templates
GET /api/v1/external/agent-config/get-agent-config?AgentKeyID
POST /api/v1/external/agent-config/provider-key/set
POST /api/v1/external/agent-config/provider-key/test
DELETE /api/v1/external/agent/:AgentKeyID
POST /api/v1/external/agent/duplicate-agent
POST /api/v1/external/agent/agent-version-list
GET /api/v1/external/agent/diff-agent-versions?AgentKeyID&fromVersion&toVersion
POST /api/v1/external/agent/restore-agent-version
POST /api/v1/external/kb/search
POST /api/v1/external/kb/kb-list
GET /api/v1/external/kb/get-kb?KBKeyID
DELETE /api/v1/external/kb/:KBKeyID
GET /api/v1/external/kb-doc/status?KBDocumentKeyID
POST /api/v1/external/kb-doc/list
GET /api/v1/external/kb-doc/get?KBDocumentKeyID
DELETE /api/v1/external/kb-doc/:KBDocumentKeyID
POST /api/v1/external/kb-faq/list
GET /api/v1/external/kb-faq/get?KBFAQKeyID
DELETE /api/v1/external/kb-faq/:KBFAQKeyID
POST /api/v1/external/kb-business-info/list
GET /api/v1/external/kb-business-info/get?KBID
DELETE /api/v1/external/kb-business-info/:KBBusinessInfoKeyID
POST /api/v1/external/kb-catalog/list
GET /api/v1/external/kb-catalog/get?CatalogItemKeyID
DELETE /api/v1/external/kb-catalog/:CatalogItemKeyID
GET /api/v1/external/credits/balance
POST /api/v1/external/credits/top-up
POST /api/v1/external/credits/usage
POST /api/v1/external/audit/list
GET /api/v1/external/audit/verify
POST /api/v1/external/campaign/add-update-campaign
POST /api/v1/external/campaign/campaign-list
POST /api/v1/external/campaign/start
POST /api/v1/external/campaign/pause
POST /api/v1/external/campaign/resume
POST /api/v1/external/campaign/cancel
GET /api/v1/external/campaign/get-campaign?CampaignKeyID
POST /api/v1/external/sales-performance/get-summary
POST /api/v1/external/sales-performance/get-leaderboard
POST /api/v1/external/sales-performance/get-target-achievement
POST /api/v1/external/sales-performance/get-call-trends
POST /api/v1/external/sales-performance/set-target
POST /api/v1/external/SalesUser/log-call
POST /api/v1/external/SalesUser/unmap-contacts
POST /api/v1/external/SalesUser/contact-list
GET /api/v1/external/SalesUser/get-contact?ContactKeyID
DELETE /api/v1/external/SalesUser/contact/:ContactKeyID
POST /api/v1/external/SalesUser/export-contacts
`;

const endpoints = [...everyRoute, ...handWritten];

interface Endpoint {
  method: string;
  path: string;
  parameters: string[];
}

function endpointsIn(text: string): Endpoint[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', address = ''] = line.split(' ');
      const [path = '', query = ''] = address.split('?');
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      return { method, path, parameters: [...inPath, ...query.split('&').filter(Boolean)] };
    });
}

function inputNamesOf(contract: object): string[] {
  if (!('request' in contract)) return [];
  const { request } = contract;
  const shape = typeof request === 'object' && request !== null && 'shape' in request ? request.shape : {};
  return Object.keys(recordOf(shape));
}

describe.each([
  ['the specification', endpointsIn(specified)],
  ['the decisions and the parts planned', endpointsIn(decided)],
])('every endpoint of %s', (_source, expected) => {
  it.each(expected)('exists: $method $path', ({ method, path, parameters }) => {
    const found = endpoints.filter((endpoint) => endpoint.method === method && endpoint.path === path);
    expect(found).toHaveLength(1);
    expect(found.flatMap(({ contract }) => inputNamesOf(contract))).toEqual(expect.arrayContaining(parameters));
  });
});

describe('the specification', () => {
  it('has 42 endpoints', () => {
    expect(endpointsIn(specified)).toHaveLength(42);
  });
});
