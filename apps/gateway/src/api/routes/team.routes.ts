import {
  bindImei,
  getInvite,
  listInvites,
  listMailOutbox,
  listMyOrganizations,
  readMyAccess,
  removeMember,
  resetImei,
  revokeInvite,
  saveInvite,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

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
    faults: ['DEVICE_LOCKED', 'CONFLICT'],
  }),
  // Mails hold invitation tokens, so seeing them takes the right to invite.
  post('/mail-outbox-list', listMailOutbox, 'List the e-mails of the platform', {
    keys: ['wsk'],
    needs: 'team.CanAdd',
    unbounded: 'The token of an invitation',
  }),
]);
