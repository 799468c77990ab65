import {
  createKey,
  createSessionToken,
  createWidgetToken,
  deleteWidget,
  getCreditBalance,
  getWidget,
  listAudit,
  listCreditUsage,
  listKeys,
  listWidgets,
  revokeKey,
  rotateKey,
  saveWidget,
  setCreditAlerts,
  setCreditPrice,
  topUpCredits,
  verifyAudit,
} from '@parley/contracts';
import { del, get, post, table } from '../../endpoint/endpoint';

/** API keys and widgets. */
export const integrationRoutes = table('Integrations', '/api/v1/external/integrations', [
  post('/keys', createKey, 'Make an API key', { keys: ['wsk'], needs: 'integrations.CanAdd', faults: ['NOT_FOUND'] }),
  get('/keys', listKeys, 'List API keys', { keys: ['wsk'], needs: 'integrations.CanView' }),
  post('/keys/:IntegrationKeyID/rotate', rotateKey, 'Replace the secret of an API key', {
    keys: ['wsk'],
    needs: 'integrations.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  }),
  del('/keys/:IntegrationKeyID', revokeKey, 'Revoke an API key', {
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

/** Tokens that let a browser in without a key. */
export const tokenRoutes = table('Tokens', '/api/v1/external', [
  post('/session-token', createSessionToken, 'Make a token for the voice sockets', {
    keys: ['agt'],
    needs: 'key-kind',
    faults: ['NOT_FOUND', 'CREDITS_EXHAUSTED'],
  }),
  post('/widget-token', createWidgetToken, 'Make a token for the widget socket', {
    keys: ['agt'],
    needs: 'key-kind',
    faults: ['NOT_FOUND', 'CREDITS_EXHAUSTED'],
  }),
]);

/** Credits; the export of the ledger is written by hand. */
export const creditRoutes = table('Credits', '/api/v1/external/credits', [
  get('/balance', getCreditBalance, 'Read the credit balances', { keys: ['wsk'], needs: 'billing.CanView' }),
  post('/top-up', topUpCredits, 'Add credits', { keys: ['wsk'], needs: 'billing.CanAdd', onceBy: 'reference' }),
  post('/alerts', setCreditAlerts, 'Choose when to be told that credits run low', { keys: ['wsk'], needs: 'billing.CanUpdate' }),
  post('/price', setCreditPrice, 'Set prices: refused, for they are the operator’s', {
    keys: ['wsk'],
    needs: 'billing.CanUpdate',
  }),
  post('/usage', listCreditUsage, 'List the credit ledger', { keys: ['wsk'], needs: 'billing.CanView' }),
]);

/** The audit log; by default only Owner and Admin hold this permission. */
export const auditRoutes = table('Audit', '/api/v1/external/audit', [
  post('/list', listAudit, 'List management actions', { keys: ['wsk'], needs: 'integrations.CanView' }),
  get('/verify', verifyAudit, 'Check that no line of the audit log was changed', {
    keys: ['wsk'],
    needs: 'integrations.CanView',
  }),
]);
