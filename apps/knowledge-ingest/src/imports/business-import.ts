import type { Readable } from 'node:stream';
import { setImmediate as others } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import {
  Fault,
  Holidays,
  importBusiness,
  importSpreadsheet,
  uploadsOf,
  WorkingHours,
  SentBusinessInfo,
  SentFaq,
  SentProduct,
  SentService,
} from '@parley/contracts';
import { normalizedQuestion } from '@parley/language';
import { inParts, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import { uploadNotFound } from '@parley/providers/configured-files';
import { sparePlacesByDefault, FairGate } from '@parley/providers/engine-pool';
import { In, IsNull } from 'typeorm';
import { z } from 'zod';
import { CatalogService } from '../catalogue/catalog.service';
import { BusinessProfileEntity, FaqEntity, type KnowledgeBaseEntity } from '../database/entities';
import { blocksOf } from '../documents/parsing/parse-document';
import { fits, headOf, Refused, typeByName } from '../documents/parsing/parsed-file';
import { Engines } from '../engines';
import { FaqsService } from '../faqs/faqs.service';
import { baseOf, rightMissingFor, type SaveOutcome, saveRightsOf } from '../knowledge-bases/knowledge-change';
import {
  byField,
  type Called,
  inOneLine,
  judged,
  type ImportReading,
  reported,
  savedOrRefused,
  type ReportedRow,
  type ImportedSection,
  withoutRefused,
} from './judged-rows';
import { readSpreadsheet, type SheetName, type SpreadsheetBusiness } from './spreadsheet';
import { BusinessProfilesService } from '../profile/business-profiles.service';

type FileReference = z.output<typeof importSpreadsheet.request>['file'];
type ImportBusinessRequest = z.output<typeof importBusiness.request>;
type ImportBusinessReply = z.input<typeof importBusiness.reply>;

interface SentQuestion {
  readonly row: number;
  readonly Question: string;
  readonly Answer: string;
  /** The normalized question of the row. */
  readonly of: string;
  readonly alternatives: readonly string[] | undefined;
}

const Faq = SentFaq.extend({ Alternatives: z.array(z.string().trim().min(1).max(1000)).max(20).optional() });

/** Imports a whole business: checked row by row and saved section by section, by the services that save single entries. */
@Injectable()
export class BusinessImport {
  constructor(
    private readonly tenants: TenantScope,
    private readonly profiles: BusinessProfilesService,
    private readonly catalog: CatalogService,
    private readonly faqs: FaqsService,
  ) {}

  /** Refuses a knowledge base that the organization does not have. */
  mustHave(orgId: number, id: number): Promise<KnowledgeBaseEntity> {
    return this.tenants.read(orgId, (manager) => baseOf(manager, { id }));
  }

  async run(
    orgId: number,
    body: ImportBusinessRequest,
    { rights, called = byField }: Pick<ImportReading, 'rights'> & Partial<Pick<ImportReading, 'called'>>,
  ): Promise<ImportBusinessReply> {
    const { key: KBKeyID } = await this.mustHave(orgId, body.KBID);
    const ignored = new Set(Object.keys(body).filter((section) => !(section in importBusiness.request.shape)));
    const reading = { ignored, called, rights };
    const rows = [
      ...(await this.savedProfile(orgId, body, reading)),
      ...(await this.items(orgId, body, reading)),
      ...(await this.questions(orgId, body, reading)),
    ];
    return { KBKeyID, KBID: body.KBID, report: rows, ...countsOf(rows), ignored: [...ignored].slice(0, ignoredMax) };
  }

  /** The sheets of a workbook are sections; hours and holidays belong to the profile, and are judged row by row all the same. */
  async runSpreadsheet(
    orgId: number,
    KBID: number,
    { rows, ignored, rights }: SpreadsheetBusiness & Pick<ImportReading, 'rights'>,
  ): Promise<ImportBusinessReply> {
    const many = Object.entries(rows).find(([, of]) => of.length > rowsMax);
    if (many) throw refusedFile(`The sheet ${many[0]} has more than ${rowsMax} rows.`);
    const spans = rows.hours.map(({ value }) => ({ ...value, span: `${String(value['day'])} ${String(value['open_time'])}` }));
    const called: Called = (section, row, field) => {
      const title = rows[sheetOf(section)][row - 1]?.titles.get(field);
      return title === undefined || title === '' ? field : title;
    };
    const hours = judged({ section: 'hours', rows: spans, schema: WorkingHours.element, nameField: 'span', called });
    const holidays = judged({
      ...{ section: 'holidays', rows: valuesOf(rows.holidays), schema: Holidays.element, nameField: 'date', called },
    });
    const businessInfo = {
      ...rows.profile[0]?.value,
      ...(hours.read.length > 0 && { working_hours: hours.read.map(({ value }) => value) }),
      ...(holidays.read.length > 0 && { holidays: holidays.read.map(({ value }) => value) }),
    };
    const hasProfile = Object.keys(businessInfo).length > 0;
    const [products, services, faqs] = [rows.products, rows.services, rows.faqs].map(valuesOf);
    const body = {
      KBID,
      ...(hasProfile && { businessInfo }),
      products: products ?? [],
      services: services ?? [],
      faqs: faqs ?? [],
    };
    const saved = await this.run(orgId, body, { rights, called });
    const profile = saved.report.find(({ section }) => section === 'businessInfo');
    const ofProfile = [
      ...hours.read.map(({ row, value: { day } }) => ({ section: 'hours' as const, row, name: day })),
      ...holidays.read.map(({ row, value: { date } }) => ({ section: 'holidays' as const, row, name: date })),
    ].map((one) => ({ ...one, outcome: profile?.outcome ?? ('REFUSED' as const), message: profile?.message ?? null }));
    const report = [...saved.report, ...ofProfile, ...hours.refused, ...holidays.refused].map((row) => ({
      ...row,
      row: rows[sheetOf(row.section)][row.row - 1]?.row ?? row.row,
    }));
    return { ...saved, ...countsOf(report), report, ignored: [...ignored].slice(0, ignoredMax) };
  }

  /** If another import has made the profile since it was read, this one changes it. */
  private async savedProfile(...sent: Parameters<BusinessImport['profile']>): Promise<ReportedRow[]> {
    try {
      return await this.profile(...sent);
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'CONFLICT')) throw error;
      return await this.profile(...sent);
    }
  }

  private async profile(
    orgId: number,
    { KBID, businessInfo }: ImportBusinessRequest,
    reading: ImportReading,
  ): Promise<ReportedRow[]> {
    if (!businessInfo) return [];
    const known = await this.tenants.read(orgId, (manager) =>
      manager.findOneBy(BusinessProfileEntity, { knowledgeBaseId: KBID, deletedOn: IsNull() }),
    );
    // A change of a profile may omit what a new one requires.
    const { business_name, timezone } = known?.info ?? {};
    const sent = { ...(known && { business_name, timezone }), ...businessInfo };
    const valid = withoutRefused(sent, SentBusinessInfo);
    const section = 'businessInfo';
    const { read, refused } = judged({
      ...{ section, rows: [valid.kept], schema: SentBusinessInfo, nameField: 'business_name', ...reading },
    });
    const saved: ReportedRow[] = [];
    for (const { row, value } of read) {
      const sending = { KBID, businessInfo: { ...value, KBBusinessInfoID: known?.id ?? 0 } };
      const isRefused = !known && !reading.rights.mayAdd;
      const { outcome } = isRefused ? { outcome: 'CREATED' as const } : await this.profiles.save(orgId, sending, reading.rights);
      saved.push(savedOrRefused({ section, row, name: value.business_name }, outcome, reading.rights));
    }
    const fields = valid.refused.map(({ field, complaints }) => {
      return { ...reported(section, 1, field, 'REFUSED'), message: inOneLine(complaints, { section, row: 1 }, reading.called) };
    });
    return [...saved, ...refused, ...fields];
  }

  private async items(
    orgId: number,
    { KBID, products, services }: ImportBusinessRequest,
    reading: ImportReading,
  ): Promise<ReportedRow[]> {
    const goods = judged({
      ...{ section: 'products', rows: products, schema: SentProduct, nameField: 'product_name', ...reading },
    });
    const work = judged({
      ...{ section: 'services', rows: services, schema: SentService, nameField: 'service_name', ...reading },
    });
    const batch = {
      products: goods.read.map(({ value }) => ({ ...value, product_id: null })),
      services: work.read.map(({ value }) => ({ ...value, service_id: null })),
    };
    const refused = [...goods.refused, ...work.refused];
    if (batch.products.length + batch.services.length === 0) return refused;
    const { outcomes } = await this.catalog.save(orgId, { KBID, ...batch }, { areNamed: true, rights: reading.rights });
    const names = [
      ...goods.read.map(({ row, value }) => ({ section: 'products' as const, row, name: value.product_name })),
      ...work.read.map(({ row, value }) => ({ section: 'services' as const, row, name: value.service_name })),
    ];
    const saved = names.map((named, place) => savedOrRefused(named, outcomes[place] ?? 'UNCHANGED', reading.rights));
    return [...saved, ...refused];
  }

  /** Each wording is a stored question; those of a row have one answer. */
  private async questions(orgId: number, { KBID, faqs }: ImportBusinessRequest, reading: ImportReading): Promise<ReportedRow[]> {
    const { read, refused } = judged({ section: 'faqs', rows: faqs, schema: Faq, nameField: 'Question', ...reading });
    const wordings = new Map<string, SentQuestion>();
    for (const [place, { row, value }] of read.entries()) {
      const [of = '', ...alternatives] = wordingsOf(value).map(normalizedQuestion);
      const sent = {
        row,
        Answer: value.Answer,
        of,
        alternatives: value.Alternatives && alternatives.filter((each) => each !== of),
      };
      for (const Question of wordingsOf(value)) {
        // The last row that has a wording decides, and the question of a row comes before its other wordings.
        wordings.delete(normalizedQuestion(Question));
        wordings.set(normalizedQuestion(Question), { ...sent, Question });
      }
      if (place % rowsInARow === 0) await others();
    }
    const forbidden = await this.forbiddenQuestions(orgId, KBID, { wordings, rights: reading.rights });
    for (const [normalized, { row }] of wordings) if (forbidden.has(row)) wordings.delete(normalized);
    // An existing question is recognized by its wording.
    const places = new Map([...wordings.keys()].map((normalized, place) => [normalized, place]));
    const batch = [...wordings.values()].map(({ row, Question, Answer, of, alternatives }, place) => {
      // The question of a row may have become a wording of another row.
      const isOfRow = wordings.get(of)?.row === row;
      const rest = isOfRow ? alternatives : undefined;
      const questionAt = (isOfRow ? places.get(of) : undefined) ?? place;
      return { KBFAQID: 0, Question, Answer, row: { questionAt, alternatives: rest?.length } };
    });
    const { faqs: saved } =
      batch.length === 0 ? { faqs: [] } : await this.faqs.save(orgId, { KBID, faqs: batch }, reading.rights.mayUpdate);
    const outcomes = new Map([...wordings.keys()].map((normalized, place) => [normalized, saved[place]?.outcome]));
    // A row with an additional wording counts as changed, even if its question has not changed.
    const outcomeOf = (value: z.output<typeof Faq>): SaveOutcome => {
      const [ofQuestion = 'UNCHANGED', ...others] = wordingsOf(value).map((wording) => outcomes.get(normalizedQuestion(wording)));
      const isChanged = others.some((outcome) => outcome !== undefined && outcome !== 'UNCHANGED');
      return ofQuestion === 'UNCHANGED' && isChanged ? 'UPDATED' : ofQuestion;
    };
    const entries = read.map(({ row, value }) => {
      const named = { section: 'faqs' as const, row, name: value.Question };
      return savedOrRefused(named, forbidden.get(row) ?? outcomeOf(value), reading.rights);
    });
    return [...entries, ...refused];
  }

  /** The rows that the sender may not save, each with what saving it would do. */
  private async forbiddenQuestions(
    orgId: number,
    knowledgeBaseId: number,
    { wordings, rights }: Pick<ImportReading, 'rights'> & { readonly wordings: ReadonlyMap<string, SentQuestion> },
  ): Promise<Map<number, SaveOutcome>> {
    if (rights.mayAdd && rights.mayUpdate) return new Map();
    const known = await this.tenants.read(orgId, async (manager) => {
      const where = { knowledgeBaseId, deletedOn: IsNull() };
      const asked = await inParts([...wordings.keys()], (part) => manager.findBy(FaqEntity, { ...where, normalized: In(part) }));
      const keys = asked.map(({ key }) => key);
      return { asked, linked: await inParts(keys, (part) => manager.findBy(FaqEntity, { ...where, wordingsOf: In(part) })) };
    });
    const byWords = new Map(known.asked.map((faq) => [faq.normalized, faq]));
    const linked = Map.groupBy(known.linked, ({ wordingsOf }) => wordingsOf);
    const outcomes = [...wordings].map(([normalized, { row, Question, Answer, of, alternatives }]): [number, SaveOutcome] => {
      const faq = byWords.get(normalized);
      if (!faq) return [row, 'CREATED'];
      const isSame = faq.question === Question && faq.answer === Answer;
      const isMoved = alternatives && faq.wordingsOf !== null && faq.wordingsOf !== byWords.get(of)?.key;
      const isShortened =
        normalized === of &&
        alternatives &&
        linked.get(faq.key)?.some((each) => ![of, ...alternatives].includes(each.normalized));
      return [row, isSame && !isMoved && !isShortened ? 'UNCHANGED' : 'UPDATED'];
    });
    return new Map(outcomes.filter(([, outcome]) => rightMissingFor(outcome, rights) !== undefined));
  }
}

const wordingsOf = ({ Question, Alternatives = [] }: z.output<typeof Faq>): string[] => [Question, ...Alternatives];

function countsOf(rows: readonly ReportedRow[]) {
  const count = (outcome: ReportedRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  return { created: count('CREATED'), updated: count('UPDATED'), unchanged: count('UNCHANGED'), refused: count('REFUSED') };
}

const rowsMax = 1000;
/** Each row may have twenty wordings, so after this many, other work gets its turn. */
const rowsInARow = 50;
const ignoredMax = 100;
const sheetOf = (section: ImportedSection): SheetName => (section === 'businessInfo' ? 'profile' : section);
const valuesOf = (rows: SpreadsheetBusiness['rows'][SheetName]) => rows.map(({ value }) => value);

function refusedFile(message: string): Fault {
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'file', message }] });
}

/** Each reader is a process that competes with live calls; organizations take turns. */
const readersAtOnce = 2;
const readersWaitingMax = 20;
const retryAfterSeconds = 5;

@Controller()
export class ImportsController {
  private readonly readers = new FairGate({
    ...{ provider: 'spreadsheets', places: readersAtOnce, sparePlaces: sparePlacesByDefault, queueMax: readersWaitingMax },
  });

  constructor(
    private readonly imports: BusinessImport,
    private readonly engines: Engines,
  ) {}

  @Handles(importBusiness)
  run(body: z.output<typeof importBusiness.request>, call: Call) {
    return this.imports.run(organizationOf(call), body, { rights: saveRightsOf(call) });
  }

  @Handles(importSpreadsheet)
  async runSpreadsheet({ KBID, file }: z.output<typeof importSpreadsheet.request>, call: Call) {
    const orgId = organizationOf(call);
    if (!file.fileKey.startsWith(uploadsOf(orgId))) throw refusedFile('The file is not an upload of this organization.');
    try {
      await this.imports.mustHave(orgId, KBID);
      return await this.imports.runSpreadsheet(orgId, KBID, { ...(await this.spreadsheetOf(file)), rights: saveRightsOf(call) });
    } finally {
      // If this fails, the sweep deletes it.
      await this.engines.files.delete(file.fileKey).catch(() => undefined);
    }
  }

  private async spreadsheetOf({ fileKey, fileName }: FileReference): Promise<SpreadsheetBusiness> {
    try {
      return await this.readers.pass(() => this.read(fileKey, fileName));
    } catch (error) {
      if (error instanceof Refused) throw refusedFile(error.message);
      if (error instanceof ProviderFailure && error.isBusy)
        throw new Fault('SERVICE_UNAVAILABLE', { message: 'Too many spreadsheets are being read.', retryAfterSeconds });
      throw error;
    }
  }

  private async read(fileKey: string, fileName: string): Promise<SpreadsheetBusiness> {
    const type = typeByName(fileName);
    if (type !== 'xlsx' && type !== 'csv')
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: 'A spreadsheet must be an .xlsx or a .csv file.' });
    if (!fits(type, await headOf(await this.open(fileKey))))
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', { message: `The content of the file is not what .${type} says.` });
    return await readSpreadsheet(await blocksOf(type, await this.open(fileKey)), fileName);
  }

  private async open(fileKey: string): Promise<Readable> {
    const stream = await this.engines.files.open(fileKey);
    if (!stream) throw uploadNotFound();
    return stream;
  }
}
