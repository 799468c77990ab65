export { gatewaySchema } from '../database/schema';
export { CreditBook } from './credit-book';
export { differenceOf, type Equation, readEquation } from './equation';
