import { agentConfigMeanings } from './agent-config';
import { callMeanings } from './calls';
import { conversationMeanings, figureMeanings } from './conversation';
import { knowledgeMeanings } from './knowledge';
import { gatewayMeanings, peopleMeanings } from './people-and-keys';

/**
 * The meaning of fields, in one sentence each. A key is the name of a field with the same meaning everywhere, or a more specific
 * one, which takes precedence: `Schema.field` by the id of a schema, or `parent.field` by the enclosing field.
 */
type FieldMeanings = Readonly<Record<string, string>>;

/** Fields with the same meaning everywhere: envelopes, paging, dates, ids used in more than one domain. */
const meantEverywhere: FieldMeanings = {
  statusCode: 'The HTTP status, repeated in the body.',
  message: 'What happened, in words for people.',
  data: 'The result.',
  'ErrorBody.message': 'The error, in words for people; the wording may change.',
  'ErrorBody.code': 'A stable code to branch on; docs/errors.md lists all of them.',
  'details.field': 'The path of the field, such as `faqs.0.Answer`.',
  'details.message': 'What is wrong with the field, and what it may be.',
  rows: 'The rows of this page.',
  totalCount: 'How many rows there are on all pages together.',
  pageNo:
    'The page, from 1. To read a growing list to its end, sort it by creation in ascending order: in descending order each new row shifts the others, and a later page repeats rows of an earlier one.',
  pageSize: 'How many rows a page has: 1 to 200.',
  sortColumn: 'The field that rows are sorted by. Equal rows are ordered by their id, so pages neither repeat nor skip one.',
  sortOrder: '`ASC` from the smallest or earliest, `DESC` from the largest or latest.',
  searchName: 'Only rows whose name contains this text, in any case; empty for all.',
  'AuditListRequest.searchName': 'Only lines whose action or record contains this text, in any case; empty for all.',
  'BusinessProfileListQuery.searchName': 'Only profiles whose `business_name` contains this text, in any case; empty for all.',
  'CampaignListQuery.searchName': 'Only campaigns whose `CampaignName` contains this text, in any case; empty for all.',
  'CatalogListQuery.searchName': 'Only products and services whose name contains this text, in any case; empty for all.',
  'DocumentListQuery.searchName': 'Only documents whose file name contains this text, in any case; empty for all.',
  'DoNotCallQuery.searchName': 'Only entries whose number or reason contains this text, in any case; empty for all.',
  'FaqListQuery.searchName': 'Only FAQs whose question or answer contains this text, in any case; empty for all.',
  'MailOutboxQuery.searchName':
    'Only mails whose recipient or subject contains this text, whatever its case and accents; empty for all.',
  'InvitedTeamListQuery.searchName':
    'Only people whose e-mail address or name contains this text, whatever its case and accents; empty for all.',
  'SalesTeamListQuery.searchName':
    'Only people whose e-mail address or name contains this text, whatever its case and accents; empty for all.',
  'ContactListQuery.searchName':
    'Only contacts whose name, number or e-mail address contains this text, whatever its case and accents; empty for all.',
  'MappedCustomerListQuery.searchName':
    'Only contacts whose name, number or e-mail address contains this text, whatever its case and accents; empty for all.',
  'ContactExportRequest.searchName':
    'Only contacts whose name, number or e-mail address contains this text, whatever its case and accents; empty for all.',
  'AddCampaignContactsRequest.searchName':
    'Only contacts whose name, number or e-mail address contains this text, whatever its case and accents; empty for all.',
  'CampaignContactQuery.searchName': 'Only contacts whose name or number contains this text; empty for all.',
  'CampaignContactExport.searchName': 'Only contacts whose name or number contains this text; empty for all.',
  'NumberListQuery.searchName': 'Only numbers that contain these digits, or whose label contains this text; empty for all.',
  startDate: 'The start, inclusive: an ISO 8601 date in the organization’s time zone, or a date-time.',
  endDate: 'The end, inclusive: an ISO 8601 date in the organization’s time zone, or a date-time.',
  fromDate: 'The earliest creation, inclusive: an ISO 8601 date or date-time; null for no bound.',
  toDate: 'The latest creation, inclusive: an ISO 8601 date or date-time; null for no bound.',
  timeZone: 'The IANA time zone that days are in, such as Asia/Kolkata; the organization’s by default.',
  CreatedOn: 'When it was created.',
  UpdatedOn: 'When it was last changed.',
  date: 'The day, in the organization’s time zone.',
  OrgKeyID: 'The public id of the organization.',
  OrgID: 'The integer id of the organization.',
  memberAdminID: 'The public id of the member.',
  userID: 'The integer id of the person, the same in every organization.',
  AgentKeyID: 'The public id of the agent, from `agent/agent-list`.',
  AgentID: 'The integer id of the agent, from `agent/agent-list`.',
  AgentName: 'The name of the agent, at most 30 characters.',
  KBKeyID: 'The public id of the knowledge base, from `kb/kb-list`.',
  KBID: 'The integer id of the knowledge base, from `kb/kb-list`.',
  ContactID: 'The integer id of the contact.',
  ContactNumber: 'The telephone number in E.164, such as +919820012345.',
  SalesUserKeyID: 'The public id of the sales representative, from `lookup/sales-users`.',
  SalesUserID: 'The integer id of the sales representative, from `lookup/sales-users`.',
  CampaignKeyID: 'The public id of the campaign.',
  CampaignID: 'The integer id of the campaign.',
  CampaignName: 'What the campaign is called, at most 120 characters.',
  IntegrationKeyID: 'The public id of the API key, from `integrations/keys`; never its secret.',
  IntegrationID: 'The integer id of the API key.',
  sessionUUID: 'The conversation. Send it with the next question, and the agent remembers what was said.',
  language: 'The language: `english`, `hindi` or `marathi`.',
  'LookupQuery.language': 'The language of the labels: `en`, `hi` or `mr`.',
  languages: 'The languages that it supports.',
  requestId: 'The `X-Request-ID` of the request.',
  latency: 'Where the time before the answer was spent.',
  turns: 'The turns of the conversation, in order.',
  TTT_API: 'Tokens of language models.',
  TTS_API: 'Characters spoken.',
  STT_API: 'Seconds of audio transcribed.',
  variables:
    'Values for the placeholders `{{name}}` of prompt and greeting: text, number, true, false or null, at most 100. In the prompt, text ' +
    'of more than three words or with unusual signs is named only, and given to the model as data.',
  visitorIp:
    'The address that will open the socket: the token then works from there only. Without it, the token works wherever the key that creates it does; with a key that has `allowedIps`, give the visitor’s address here.',
  expiresAt: 'When it stops working.',
};

const tables: readonly FieldMeanings[] = [
  meantEverywhere,
  agentConfigMeanings,
  conversationMeanings,
  gatewayMeanings,
  knowledgeMeanings,
  peopleMeanings,
  callMeanings,
  figureMeanings,
];

/** Every sentence by key. A key in two tables is a mistake, which a test reports. */
export const fieldMeanings: ReadonlyMap<string, string> = new Map(tables.flatMap((table) => Object.entries(table)));

/** Keys that occur in more than one table. */
export const meaningsGivenTwice: readonly string[] = tables
  .flatMap((table) => Object.keys(table))
  .filter((key, index, all) => all.indexOf(key) !== index);

/** The meaning of a field: in its parent, in its schema, or by its name alone. */
export function meaningOf(field: string, { schema, parent }: { schema: string; parent: string | undefined }): string | undefined {
  const keys = [...(parent ? [`${parent}.${field}`] : []), `${schema}.${field}`, field];
  return keys.map((key) => fieldMeanings.get(key)).find((found) => found !== undefined);
}
