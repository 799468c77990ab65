import {
  addCampaignContacts,
  addDoNotCall,
  cancelCampaign,
  getCampaign,
  getCampaignDashboard,
  listCampaignContacts,
  listCampaigns,
  listDoNotCall,
  pauseCampaign,
  previewCampaign,
  removeDoNotCall,
  resumeCampaign,
  saveCampaign,
  startCampaign,
  testCampaign,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

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
  post('/add-do-not-call', addDoNotCall, 'Add numbers to the do-not-call list', { keys: ['wsk'], needs: 'campaigns.CanAdd' }),
  post('/do-not-call-list', listDoNotCall, 'List the numbers not to call', { keys: ['wsk'], needs: 'campaigns.CanView' }),
  del('/do-not-call/:DoNotCallKeyID', removeDoNotCall, 'Take a number off the do-not-call list', {
    keys: ['wsk'],
    needs: 'campaigns.CanDelete',
    faults: ['NOT_FOUND'],
  }),
]);
