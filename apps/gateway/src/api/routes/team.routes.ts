import {
  bindImei,
  createKey,
  createSessionToken,
  createWidgetToken,
  deleteContact,
  deleteWidget,
  getContact,
  getCreditBalance,
  getInvite,
  getWidget,
  listAudit,
  listContacts,
  listCreditUsage,
  listInvites,
  listKeys,
  listMailOutbox,
  listMappedCustomers,
  listMyOrganizations,
  listRepresentatives,
  listWidgets,
  logSalesCall,
  mapContacts,
  readContactUpload,
  readMyAccess,
  removeMember,
  resetImei,
  revokeInvite,
  revokeKey,
  rotateKey,
  saveContact,
  saveInvite,
  saveWidget,
  setCreditAlerts,
  setCreditPrice,
  topUpCredits,
  unmapContacts,
  verifyAudit,
  readDeviceLock,
  readInvitation,
  readKey,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

/** Members, invitations and devices. */
export const teamRoutes = table('Team', '/api/v1/external/team-management', [
  post('/get-InvitedTeamList', listInvites, 'List invitations', { keys: ['wsk'], needs: 'team.CanView' }),
  post('/add-update-Invitation', saveInvite, 'Invite members, or change one', {
    before: readInvitation,
    keys: ['wsk'],
    needs: { create: 'team.CanAdd', update: 'team.CanUpdate', by: ['action'] },
    // An invited member gets a first key, and a promoted one has keys already.
    unbounded: 'An invitation or a role',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/get-InvitedTeamDetail', getInvite, 'Read one invitation', {
    keys: ['wsk'],
    needs: 'team.CanView',
    faults: ['NOT_FOUND'],
  }),
  get('/my-access', readMyAccess, 'Read the rights of the API key', { keys: ['wsk'], needs: 'membership' }),
  get('/my-organizations', listMyOrganizations, 'List the organizations of the API key’s user', {
    keys: ['wsk'],
    needs: 'membership',
  }),
  del('/invite/:teamInviteKeyID', revokeInvite, 'Revoke an invitation', {
    before: readInvitation,
    keys: ['wsk'],
    needs: 'team.CanDelete',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  del('/member/:memberAdminID', removeMember, 'Remove a member', {
    before: readInvitation,
    keys: ['wsk'],
    needs: 'team.CanDelete',
    effects:
      'Ends the member’s workspace keys, and those that the member made for others. Agent keys, speech keys and widgets that the member ' +
      'made stay valid, since web pages and telephones use them: look for `madeByAdminID` in the list of keys, and rotate what may have been copied.',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/reset-imei', resetImei, 'Clear or move the device lock of a member', {
    before: readDeviceLock,
    keys: ['wsk'],
    needs: 'team.CanUpdate',
    input: 'form',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/bind-imei', bindImei, 'Bind the device of the calling member', {
    before: readDeviceLock,
    keys: ['wsk'],
    needs: 'membership',
    faults: ['NOT_FOUND', 'DEVICE_LOCKED', 'CONFLICT'],
  }),
  // E-mails contain invitation tokens, so reading them requires the right to invite.
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
  get('/upload-status', readContactUpload, 'Read the progress of an upload of contacts', {
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
  post('/unmap-contacts', unmapContacts, 'Unmap contacts from a representative', {
    keys: ['wsk'],
    needs: 'contacts.CanUpdate',
    faults: ['NOT_FOUND'],
  }),
  post('/mapped-Customer-list', listMappedCustomers, 'List the customers of a representative', {
    keys: ['wsk'],
    needs: 'contacts.CanView',
    faults: ['NOT_FOUND'],
  }),
  post('/contact-list', listContacts, 'List contacts', { keys: ['wsk'], needs: 'contacts.CanView', faults: ['NOT_FOUND'] }),
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

/** API keys and widgets. */
export const integrationRoutes = table('Integrations', '/api/v1/external/integrations', [
  post('/keys', createKey, 'Create an API key', { keys: ['wsk'], needs: 'integrations.CanAdd', faults: ['NOT_FOUND'] }),
  get('/keys', listKeys, 'List API keys', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/keys/:IntegrationKeyID/rotate', rotateKey, 'Replace the secret of an API key', {
    before: readKey,
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  del('/keys/:IntegrationKeyID', revokeKey, 'Revoke an API key', {
    before: readKey,
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND'],
  }),
  post('/widgets', saveWidget, 'Create or update a widget', {
    before: getWidget,
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['WidgetKeyID'] },
    faults: ['NOT_FOUND'],
  }),
  get('/widgets', listWidgets, 'List widgets', { keys: ['wsk'], needs: 'integrations.CanView' }),
  get('/widgets/:WidgetKeyID', getWidget, 'Read one widget', {
    keys: ['wsk'],
    needs: 'integrations.CanView',
    faults: ['NOT_FOUND'],
  }),
  del('/widgets/:WidgetKeyID', deleteWidget, 'Delete a widget', {
    before: getWidget,
    keys: ['wsk'],
    needs: 'integrations.CanDelete',
    faults: ['NOT_FOUND'],
  }),
]);

/** Tokens that admit a browser without a key. */
export const tokenRoutes = table('Tokens', '/api/v1/external', [
  post('/session-token', createSessionToken, 'Create a token for the voice sockets', {
    keys: ['agt'],
    needs: 'key-kind',
    faults: ['NOT_FOUND', 'CREDITS_EXHAUSTED'],
  }),
  post('/widget-token', createWidgetToken, 'Create a token for the widget socket', {
    keys: ['agt'],
    needs: 'key-kind',
    faults: ['NOT_FOUND', 'CREDITS_EXHAUSTED'],
  }),
]);

/** Credits; the export of the ledger is written by hand. */
export const creditRoutes = table('Credits', '/api/v1/external/credits', [
  get('/balance', getCreditBalance, 'Read the credit balances', { keys: ['wsk'], needs: 'billing.CanView' }),
  post('/top-up', topUpCredits, 'Add credits', {
    before: getCreditBalance,
    beforeRow: ['kind'],
    keys: ['wsk'],
    needs: 'billing.CanAdd',
    onceBy: 'reference',
    effects:
      'Credits are by default the organization’s own budget: nothing is paid here. Where only the operator adds them (`CREDIT_TOP_UPS`), this is ' +
      'refused with 403.',
  }),
  post('/alerts', setCreditAlerts, 'Set when to be notified that credits run low', {
    before: getCreditBalance,
    beforeRow: ['kind'],
    keys: ['wsk'],
    needs: 'billing.CanUpdate',
  }),
  post('/price', setCreditPrice, 'Set prices: refused, because only the operator sets them', {
    keys: ['wsk'],
    needs: 'billing.CanUpdate',
  }),
  post('/usage', listCreditUsage, 'List the credit ledger', { keys: ['wsk'], needs: 'billing.CanView', faults: ['NOT_FOUND'] }),
]);

/** The audit log; by default only Owner and Admin hold this permission. */
export const auditRoutes = table('Audit', '/api/v1/external/audit', [
  post('/list', listAudit, 'List management actions', { keys: ['wsk'], needs: 'integrations.CanView', faults: ['NOT_FOUND'] }),
  get('/verify', verifyAudit, 'Check that no line of the audit log was changed', {
    keys: ['wsk'],
    needs: 'integrations.CanView',
  }),
]);
