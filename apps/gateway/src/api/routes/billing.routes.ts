import {
  getCreditBalance,
  listAudit,
  listCreditUsage,
  setCreditAlerts,
  setCreditPrice,
  topUpCredits,
  verifyAudit,
} from '@parley/contracts';
import { get, post, table } from '../../endpoint/route';

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
