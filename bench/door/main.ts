// `npm run bench -- door`: the cost of a charge and of a guarded request.
import 'reflect-metadata';
import { measureRequests } from './requests';
import { measureSettlements } from './settlements';

async function main(): Promise<void> {
  await measureSettlements();
  await measureRequests();
}

void main();
