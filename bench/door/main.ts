// `npm run bench -- door`: what a charge and a guarded request cost.
import 'reflect-metadata';
import { measureRequests } from './requests';
import { measureSettlements } from './settlements';

async function main(): Promise<void> {
  await measureSettlements();
  await measureRequests();
}

void main();
