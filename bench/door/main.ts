// `npm run bench -- door`: what a charge and a guarded request cost.
import 'reflect-metadata';
import { measureSettlements } from './settlements';

void measureSettlements();
