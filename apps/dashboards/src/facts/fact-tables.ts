import { callFacts } from './call-facts';
import type { FactTable } from './fact-table';
import { assignmentFacts, salesCallFacts } from './sales-facts';
import { sessionFacts, usageFacts } from './session-facts';
import { turnFacts } from './turn-facts';

/** Everything that is counted. */
export const factTables: readonly FactTable[] = [callFacts, turnFacts, sessionFacts, usageFacts, salesCallFacts, assignmentFacts];
