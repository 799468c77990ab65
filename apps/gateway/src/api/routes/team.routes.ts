import {
  bindImei,
  deleteContact,
  getContact,
  getInvite,
  listContacts,
  listInvites,
  listMailOutbox,
  listMappedCustomers,
  listMyOrganizations,
  listRepresentatives,
  logSalesCall,
  mapContacts,
  readContactUpload,
  readMyAccess,
  removeMember,
  resetImei,
  revokeInvite,
  saveContact,
  saveInvite,
  unmapContacts,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

/** Members, invitations and devices. */
export const teamRoutes = table('Team', '/api/v1/external/team-management', [
  post('/get-InvitedTeamList', listInvites, 'List invitations', { keys: ['wsk'], needs: 'team.CanView' }),
  post('/add-update-Invitation', saveInvite, 'Invite members, or change one', {
    keys: ['wsk'],
    needs: { create: 'team.CanAdd', update: 'team.CanUpdate', by: ['action'] },
    // Whoever is invited gets a first key, and whoever rises has keys already.
    unbounded: 'An invitation or a role',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/get-InvitedTeamDetail', getInvite, 'Read one invitation', {
    keys: ['wsk'],
    needs: 'team.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/my-access', readMyAccess, 'Read what the key may do', { keys: ['wsk'], needs: 'membership' }),
  get('/my-organizations', listMyOrganizations, 'List the organizations of the key’s user', {
    keys: ['wsk'],
    needs: 'membership',
  }),
  del('/invite/:teamInviteKeyID', revokeInvite, 'Revoke an invitation', {
    keys: ['wsk'],
    needs: 'team.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  del('/member/:memberAdminID', removeMember, 'Remove a member', {
    keys: ['wsk'],
    needs: 'team.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/reset-imei', resetImei, 'Clear or move the device lock of a member', {
    keys: ['wsk'],
    needs: 'team.CanUpdate',
    input: 'form',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/bind-imei', bindImei, 'Bind the device of the calling member', {
    keys: ['wsk'],
    needs: 'membership',
    faults: ['NOT_FOUND', 'DEVICE_LOCKED', 'CONFLICT'],
  }),
  // Mails hold invitation tokens, so seeing them takes the right to invite.
  post('/mail-outbox-list', listMailOutbox, 'List the e-mails of the platform', {
    keys: ['wsk'],
    needs: 'team.CanAdd',
    unbounded: 'The token of an invitation',
  }),
]);

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
