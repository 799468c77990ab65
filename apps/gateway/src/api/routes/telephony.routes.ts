import {
  addCampaignContacts,
  addDoNotCall,
  cancelCampaign,
  deleteCampaign,
  deleteCampaignWebhook,
  deleteCarrierAccount,
  deleteNumber,
  endCall,
  getCall,
  getCampaign,
  getCampaignDashboard,
  getNumber,
  listCalls,
  listCampaignContacts,
  listCampaignWebhooks,
  listCampaigns,
  listCarrierAccounts,
  listCarriers,
  listDoNotCall,
  listLegalHours,
  listNumbers,
  listUndeliveredCampaignEvents,
  pauseCampaign,
  placeCall,
  previewCampaign,
  removeDoNotCall,
  resumeCampaign,
  retryCampaignContacts,
  retryCampaignWebhook,
  saveCampaign,
  saveCampaignWebhook,
  saveCarrierAccount,
  readCallLimits,
  saveCallLimits,
  saveLegalHours,
  saveNumber,
  sendDtmf,
  startCampaign,
  testCampaign,
  testCampaignWebhook,
  testCarrierAccount,
  transferCall,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

/** Carrier accounts, and which agent answers which number. */
export const numberRoutes = table('Numbers', '/api/v1/external/number', [
  post('/add-update-number', saveNumber, 'Create or update a number', {
    before: getNumber,
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['NumberKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/number-list', listNumbers, 'List numbers', { keys: ['wsk'], needs: 'integrations.CanView', faults: ['NOT_FOUND'] }),
  get('/get-number', getNumber, 'Read one number', { keys: ['wsk'], needs: 'integrations.CanView', faults: ['NOT_FOUND'] }),
  get('/carriers', listCarriers, 'List the carriers of this installation', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/add-update-carrier-account', saveCarrierAccount, 'Create or update a carrier account', {
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['CarrierAccountKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/carrier-account-list', listCarrierAccounts, 'List carrier accounts', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/test-carrier-account', testCarrierAccount, 'Test the credentials of a carrier account', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  del('/carrier-account/:CarrierAccountKeyID', deleteCarrierAccount, 'Delete a carrier account', {
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  del('/:NumberKeyID', deleteNumber, 'Delete a number', {
    before: getNumber,
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);

const mayControl = { keys: ['wsk'], needs: 'campaigns.CanUpdate', faults: ['NOT_FOUND', 'CONFLICT'] } as const;

/** Calls: placed, controlled and looked up. */
export const callRoutes = table('Calls', '/api/v1/external/call', [
  post('/place', placeCall, 'Place a call', {
    keys: ['wsk'],
    needs: 'campaigns.CanAdd',
    onceBy: 'reference',
    faults: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
  }),
  post('/end', endCall, 'End a call', mayControl),
  post('/transfer', transferCall, 'Transfer a call to a person', mayControl),
  post('/send-dtmf', sendDtmf, 'Press keys on a call', mayControl),
  get('/get-call', getCall, 'Read one call', { keys: ['wsk'], needs: 'logs.CanView', faults: ['NOT_FOUND'] }),
  post('/call-list', listCalls, 'List calls', { keys: ['wsk'], needs: 'logs.CanView', faults: ['NOT_FOUND'] }),
]);

const mayUpdate = {
  before: getCampaign,
  keys: ['wsk'],
  needs: 'campaigns.CanUpdate',
  faults: ['NOT_FOUND', 'CONFLICT'],
} as const;

/** Outbound campaigns and the numbers that they never call. */
export const campaignRoutes = table('Campaigns', '/api/v1/external/campaign', [
  post('/add-update-campaign', saveCampaign, 'Create or update a campaign', {
    before: getCampaign,
    keys: ['wsk'],
    needs: { create: 'campaigns.CanAdd', update: 'campaigns.CanUpdate', by: ['CampaignKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/campaign-list', listCampaigns, 'List campaigns', { keys: ['wsk'], needs: 'campaigns.CanView' }),
  get('/get-campaign', getCampaign, 'Read one campaign', { keys: ['wsk'], needs: 'campaigns.CanView', faults: ['NOT_FOUND'] }),
  post('/start', startCampaign, 'Start a campaign', mayUpdate),
  post('/pause', pauseCampaign, 'Pause a campaign', mayUpdate),
  post('/resume', resumeCampaign, 'Resume a campaign', mayUpdate),
  post('/cancel', cancelCampaign, 'Cancel a campaign', mayUpdate),
  post('/retry-contacts', retryCampaignContacts, 'Retry finished contacts of a campaign', {
    keys: ['wsk'],
    needs: 'campaigns.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/add-contacts', addCampaignContacts, 'Add contacts to a campaign', {
    keys: ['wsk'],
    needs: 'campaigns.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE'],
  }),
  post('/contact-list', listCampaignContacts, 'List the contacts of a campaign', {
    keys: ['wsk'],
    needs: 'campaigns.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/preview', previewCampaign, 'Preview the first call of a campaign', {
    keys: ['wsk'],
    needs: 'campaigns.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/test-call', testCampaign, 'Call one number as a campaign would', {
    keys: ['wsk'],
    needs: 'campaigns.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
    onceBy: 'reference',
  }),
  post('/get-campaign-dashboard', getCampaignDashboard, 'Read the figures of campaigns', {
    keys: ['wsk'],
    needs: 'dashboards.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/legal-hours', listLegalHours, 'Read the legal calling hours', { keys: ['wsk'], needs: 'campaigns.CanView' }),
  post('/set-legal-hours', saveLegalHours, 'Narrow the legal calling hours of a country', {
    keys: ['wsk'],
    needs: 'campaigns.CanUpdate',
  }),
  get('/call-limits', readCallLimits, 'Read how often campaigns call a number', { keys: ['wsk'], needs: 'campaigns.CanView' }),
  post('/set-call-limits', saveCallLimits, 'Set how often campaigns call a number', { keys: ['wsk'], needs: 'team.CanUpdate' }),
  post('/add-update-webhook', saveCampaignWebhook, 'Create or update a campaign webhook', {
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['WebhookKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/webhook-list', listCampaignWebhooks, 'List campaign webhooks', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/undelivered-events', listUndeliveredCampaignEvents, 'List the undelivered events of a webhook', {
    keys: ['wsk'],
    needs: 'integrations.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/test-webhook', testCampaignWebhook, 'Send a test event to a webhook', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  post('/retry-webhook', retryCampaignWebhook, 'Resend the events that are no longer retried', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  del('/webhook/:WebhookKeyID', deleteCampaignWebhook, 'Delete a campaign webhook', {
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND'],
  }),
  post('/add-do-not-call', addDoNotCall, 'Add numbers to the do-not-call list', { keys: ['wsk'], needs: 'campaigns.CanAdd' }),
  post('/do-not-call-list', listDoNotCall, 'List the numbers on the do-not-call list', {
    keys: ['wsk'],
    needs: 'campaigns.CanView',
  }),
  del('/do-not-call/:DoNotCallKeyID', removeDoNotCall, 'Remove a number from the do-not-call list', {
    keys: ['wsk'],
    needs: 'campaigns.CanDelete',
    faults: ['NOT_FOUND'],
  }),
  del('/:CampaignKeyID', deleteCampaign, 'Delete a campaign with its contacts and results', {
    before: getCampaign,
    keys: ['wsk'],
    needs: 'campaigns.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
]);
