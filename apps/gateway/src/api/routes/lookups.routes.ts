import {
  listAgentTemplates,
  listAgentTypes,
  listIcons,
  listIndustries,
  listLanguages,
  listRegions,
  listRoles,
  listSalesUserChoices,
  listTimeZones,
  listTones,
} from '@parley/contracts';
import { get, table } from '../../endpoint/route';

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
