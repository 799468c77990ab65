import {
  deleteCarrierAccount,
  deleteNumber,
  endCall,
  getCall,
  getNumber,
  listCalls,
  listCarrierAccounts,
  listCarriers,
  listNumbers,
  placeCall,
  saveCarrierAccount,
  saveNumber,
  sendDtmf,
  testCarrierAccount,
  transferCall,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/route';

/** Carrier accounts, and which agent answers which number. */
export const numberRoutes = table('Numbers', '/api/v1/external/number', [
  post('/add-update-number', saveNumber, 'Create or update a number', {
    before: getNumber,
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['NumberKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  post('/number-list', listNumbers, 'List numbers', { keys: ['wsk'], needs: 'integrations.CanView' }),
  get('/get-number', getNumber, 'Read one number', { keys: ['wsk'], needs: 'integrations.CanView', faults: ['NOT_FOUND'] }),
  get('/carriers', listCarriers, 'List the carriers of this installation', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/add-update-carrier-account', saveCarrierAccount, 'Create or update a carrier account', {
    keys: ['wsk'],
    needs: { create: 'integrations.CanAdd', update: 'integrations.CanUpdate', by: ['CarrierAccountKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  get('/carrier-account-list', listCarrierAccounts, 'List carrier accounts', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/test-carrier-account', testCarrierAccount, 'Try the credentials of a carrier account', {
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
    faults: ['NOT_FOUND'],
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
  post('/transfer', transferCall, 'Give a call to a person', mayControl),
  post('/send-dtmf', sendDtmf, 'Press keys on a call', mayControl),
  get('/get-call', getCall, 'Read one call', { keys: ['wsk'], needs: 'logs.CanView', faults: ['NOT_FOUND'] }),
  post('/call-list', listCalls, 'List calls', { keys: ['wsk'], needs: 'logs.CanView' }),
]);
