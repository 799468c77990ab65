import {
  listAgentTemplates, listAgentTypes, listIcons, listIndustries, listLanguages, listRegions, listRoles, listSalesUserChoices,
  listTimeZones,
  listTones,
} from '@parley/contracts';
import { get, table } from './route';

/** The tables that forms choose from. */
export const lookupRoutes = table('Lookups', '/api/v1/external/lookup', [
  get('/agent-types', listAgentTypes, 'List agent types', { keys: ['wsk'], needs: 'membership' }),
  get('/regions', listRegions, 'List regions', { keys: ['wsk'], needs: 'membership' }),
  get('/timezones', listTimeZones, 'List time zones', { keys: ['wsk'], needs: 'membership' }),
  get('/industries', listIndustries, 'List industries', { keys: ['wsk'], needs: 'membership' }),
  get('/tones', listTones, 'List tones', { keys: ['wsk'], needs: 'membership' }),
  get('/icons', listIcons, 'List icons', { keys: ['wsk'], needs: 'membership' }),
  get('/languages', listLanguages, 'List languages', { keys: ['wsk'], needs: 'membership' }),
  get('/roles', listRoles, 'List roles', { keys: ['wsk'], needs: 'membership' }),
  get('/sales-users', listSalesUserChoices, 'List representatives to choose from', { keys: ['wsk'], needs: 'contacts.CanView' }),
  get('/agent-templates', listAgentTemplates, 'List agent templates', { keys: ['wsk'], needs: 'membership' }),
]);
