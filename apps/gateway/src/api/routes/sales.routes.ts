import {
  deleteContact,
  getContact,
  listContacts,
  listMappedCustomers,
  listRepresentatives,
  logSalesCall,
  mapContacts,
  readContactUpload,
  saveContact,
  unmapContacts,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

/** Sales representatives. */
export const salesTeamRoutes = table('Sales', '/api/v1/external/SalesTeam', [
  post('/get-teamList', listRepresentatives, 'List sales representatives', { keys: ['wsk'], needs: 'team.CanView' }),
]);

/** Contacts and the representatives that they belong to. */
export const contactRoutes = table('Sales', '/api/v1/external/SalesUser', [
  get('/upload-status', readContactUpload, 'Read how far an upload of contacts is', {
    keys: ['wsk'],
    needs: 'contacts.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/add-update-Contacts', saveContact, 'Create or update a contact', {
    before: getContact,
    keys: ['wsk'],
    needs: { create: 'contacts.CanAdd', update: 'contacts.CanUpdate', by: ['ContactKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/map-contacts', mapContacts, 'Map contacts to a representative', {
    keys: ['wsk'],
    needs: 'contacts.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/unmap-contacts', unmapContacts, 'Take contacts from a representative', {
    keys: ['wsk'],
    needs: 'contacts.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  post('/mapped-Customer-list', listMappedCustomers, 'List the customers of a representative', {
    keys: ['wsk'],
    needs: 'contacts.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/contact-list', listContacts, 'List contacts', { keys: ['wsk'], needs: 'contacts.CanView' }),
  get('/get-contact', getContact, 'Read one contact', { keys: ['wsk'], needs: 'contacts.CanView', faults: ['NOT_FOUND'] }),
  del('/contact/:ContactKeyID', deleteContact, 'Delete a contact', {
    before: getContact,
    keys: ['wsk'],
    needs: 'contacts.CanDelete',
    faults: ['NOT_FOUND'],
  }),
  post('/log-call', logSalesCall, 'Report a call of a representative', {
    keys: ['wsk'],
    needs: 'mobileCalling.CanAdd',
    faults: ['NOT_FOUND', 'DEVICE_LOCKED'],
  }),
]);
