/** @quiet Judged by CPU time. */
import { randomUUID } from 'node:crypto';
import {
  contactsAssigned,
  exportContacts,
  listContacts,
  listMappedCustomers,
  readContactUpload,
  removeMember,
  saveContact,
  uploadContacts,
} from '@parley/contracts';
import { longestTurnMs, loopBudgetMs } from '@parley/testing';
import { Client } from 'pg';
import { Installation, type TestOrganization } from '../../installation.suite';

type Representative = Awaited<ReturnType<Installation['representative']>>;
const csv = (...lines: string[]) => lines.join('\n');
const header = 'CustomerName,ContactNumber,Email,City,State,Country';
const sellersOf = (count: number, first = 9_820_000_000) =>
  Array.from({ length: count }, (_, index) => `Customer ${index},${first + index},,Pune,,`);

describe('an upload of contacts', () => {
  let installation: Installation;
  let organization: TestOrganization;
  let seller: Representative;
  let ask: Installation['bus']['ask'];
  let owner: { principal: TestOrganization['owner'] };

  beforeAll(async () => {
    installation = await Installation.start();
    ask = installation.bus.ask.bind(installation.bus);
  });
  beforeEach(async () => {
    organization = await installation.organization();
    owner = { principal: organization.owner };
    seller = await installation.representative(organization);
  });
  afterAll(() => installation.stop());

  const upload = async (file: string | Uint8Array, UploadKeyID?: string, SalesUserID = seller.SalesUserID) => {
    const uploader = owner;
    const stored = await installation.store(
      organization.OrgID,
      (async function* () {
        yield Buffer.from(file);
      })(),
    );
    return ask(uploadContacts, { SalesUserID, file: stored, ...(UploadKeyID && { UploadKeyID }) }, uploader);
  };
  const contacts = async (query: object = {}) =>
    (await ask(listContacts, { sortColumn: 'ContactNumber', sortOrder: 'ASC', ...query }, owner)).rows;
  const refusal = (code: string, words: string) => ({ code, message: expect.stringContaining(words) });

  it('says which columns it did not read, also to whoever asks later', async () => {
    const result = await upload(csv('Notes,CustomerName,contactnumber,,Age', 'likes tea,Ravi,9820012345,x,7'));
    expect(result).toMatchObject({ createdCount: 1, ignoredColumns: ['Notes', 'column 4', 'Age'] });
    const { UploadKeyID } = result;
    expect((await ask(readContactUpload, { UploadKeyID }, owner)).ignoredColumns).toEqual(['Notes', 'column 4', 'Age']);
    expect((await upload(csv(header, 'Ravi,9820012345,,,,'))).ignoredColumns).toEqual([]);
  });

  it.each(['ContactNumber,CustomerName,contactNumber', 'City,ContactNumber,City'])(
    'refuses a file that has a column twice: %s',
    async (twice) => {
      const column = twice.startsWith('City') ? 'City' : 'ContactNumber';
      await expect(upload(csv(twice, 'a,9820012345,b'))).rejects.toMatchObject(
        refusal('VALIDATION_FAILED', `its first row has the column ${column} twice`),
      );
      expect(await contacts()).toEqual([]);
    },
  );

  it('saves and assigns every good row, and reports every bad one with its place and reason', async () => {
    const file = csv(
      header,
      'Ravi Kulkarni,098200 12345,ravi@example.com,Pune,Maharashtra,India',
      'Nobody,,,,,',
      'Typo,98200,,,,',
      '"Two\nlines",9820012346,,,,',
      'Mail,9820012347,not-mail,,,',
      'Short,9820012348',
      'Long,9820012349,,,,,,',
      `${'x'.repeat(201)},9820012350,,,,`,
    );
    const result = await upload(file);
    expect(result).toMatchObject({
      status: 'DONE',
      rowCount: 8,
      createdCount: 3,
      updatedCount: 0,
      unchangedCount: 0,
      assignedCount: 3,
      errorCount: 5,
    });
    expect(result.errors).toEqual([
      { line: 3, field: 'ContactNumber', message: 'is required' },
      { line: 4, field: 'ContactNumber', message: 'is not a telephone number' },
      { line: 7, field: 'Email', message: 'is not an e-mail address' },
      { line: 9, field: null, message: 'has 8 cells where the header has 6' },
      { line: 10, field: 'CustomerName', message: 'is longer than 200 characters' },
    ]);
    expect((await contacts()).map(({ CustomerName }) => CustomerName)).toEqual(['Ravi Kulkarni', 'Two\nlines', 'Short']);
    const mapped = await ask(listMappedCustomers, { SalesUserKeyID: seller.SalesUserKeyID }, owner);
    expect(mapped.totalCount).toBe(3);
    const assigned = await installation.events.of(contactsAssigned, organization.OrgID);
    expect(assigned).toEqual([
      { SalesUserID: seller.SalesUserID, SalesUserKeyID: seller.SalesUserKeyID, count: 3, source: 'UPLOAD' },
    ]);
  });

  it('changes nothing when the same file is sent again', async () => {
    const file = csv(header, ...sellersOf(20), 'Renamed,9820000003,,Mumbai,,');
    await expect(upload(file)).resolves.toMatchObject({ createdCount: 20, updatedCount: 1, unchangedCount: 0 });
    const before = await contacts({ pageSize: 200 });
    const again = await upload(file);
    expect(again).toMatchObject({ createdCount: 0, updatedCount: 0, unchangedCount: 21, assignedCount: 0, errorCount: 0 });
    expect(await contacts({ pageSize: 200 })).toEqual(before);
    expect(before[3]).toMatchObject({ CustomerName: 'Renamed', City: 'Mumbai' });
  });

  it('combines all rows of a number, and counts a repeated row as a change if it is one', async () => {
    const file = csv(
      header,
      'Ravi,9820012345,ravi@example.com,Pune,,',
      'Asha,9820012346,,,,',
      'Ravi,9820012345,,Nashik,,',
      'Asha,9820012346,,,,',
    );
    expect(await upload(file)).toMatchObject({
      rowCount: 4,
      createdCount: 2,
      updatedCount: 1,
      unchangedCount: 1,
      assignedCount: 2,
    });
    expect(await contacts()).toMatchObject([
      { CustomerName: 'Ravi', Email: 'ravi@example.com', City: 'Nashik' },
      { CustomerName: 'Asha' },
    ]);
  });

  describe('by a member who may', () => {
    const known = ['Ravi,9820000001,,Pune,,', 'Asha,9820000002,,Pune,,'];
    const beBy = async (...permitted: ('CanAdd' | 'CanUpdate')[]) => {
      await upload(csv(header, ...known));
      owner = { principal: await installation.member(organization, { permissions: { contacts: ['CanView', ...permitted] } }) };
    };
    const cities = async () => (await contacts()).map(({ ContactNumber, City }) => [ContactNumber.slice(-1), City]);

    it('add contacts, adds the new ones and refuses each row that would change one', async () => {
      await beBy('CanAdd');
      const file = csv(
        header,
        'New,9820000003,,Pune,,',
        'Ravi,9820000001,,Mumbai,,',
        'Nobody,1,,,,',
        'Asha,9820000002,,,,',
        'New,9820000003,,Nashik,,',
        'Ravi,9820000001,,Mumbai,,',
      );
      const refused = { field: null, message: 'would change a contact, which needs the permission contacts.CanUpdate' };
      const outcome = { createdCount: 1, updatedCount: 1, unchangedCount: 1, assignedCount: 1, errorCount: 3, rowCount: 6 };
      expect(await upload(file)).toMatchObject({
        ...outcome,
        errors: [
          { line: 3, ...refused },
          { line: 4, field: 'ContactNumber' },
          { line: 7, ...refused },
        ],
      });
      expect(await cities()).toEqual([
        ['1', 'Pune'],
        ['2', 'Pune'],
        ['3', 'Nashik'],
      ]);
    });

    it('add contacts, gives no known one to another representative', async () => {
      await beBy('CanAdd');
      const { SalesUserID, SalesUserKeyID } = await installation.representative({ ...organization });
      const result = await upload(csv(header, ...known, 'New,9820000003,,,,'), undefined, SalesUserID);
      expect(result).toMatchObject({ createdCount: 1, unchangedCount: 0, assignedCount: 1, errorCount: 2 });
      expect((await ask(listMappedCustomers, { SalesUserKeyID }, owner)).totalCount).toBe(1);
    });

    it('change contacts, changes the known ones and refuses each row that would add one', async () => {
      await beBy('CanUpdate');
      const file = csv(
        header,
        'New,9820000003,,Pune,,',
        'Ravi,9820000001,,Mumbai,,',
        'Asha,9820000002,,,,',
        'New,9820000003,,,,',
      );
      const refused = { field: null, message: 'would add a contact, which needs the permission contacts.CanAdd' };
      expect(await upload(file)).toMatchObject({
        ...{ createdCount: 0, updatedCount: 1, unchangedCount: 1, assignedCount: 0, errorCount: 2 },
        errors: [
          { line: 2, ...refused },
          { line: 5, ...refused },
        ],
      });
      expect(await cities()).toEqual([
        ['1', 'Mumbai'],
        ['2', 'Pune'],
      ]);
    });
  });

  it('is refused under an id that was used for another file', async () => {
    const UploadKeyID = randomUUID();
    await upload(csv(header, ...sellersOf(2)), UploadKeyID);
    const other = upload(csv(header, 'New,9820099999,,,,'), UploadKeyID);
    await expect(other).rejects.toMatchObject(refusal('CONFLICT', 'another file'));
    expect((await contacts()).map(({ CustomerName }) => CustomerName)).not.toContain('New');
  });

  it('updates a known number and keeps what the file does not mention', async () => {
    await ask(saveContact, { CustomerName: 'Ravi', ContactNumber: '9820012345', Email: 'ravi@example.com', City: 'Pune' }, owner);
    await expect(upload(csv('contactnumber;CITY;Notes', '+91 98200 12345;Nashik;likes tea'))).resolves.toMatchObject({
      updatedCount: 1,
    });
    expect(await contacts({ searchName: 'ravi@' })).toMatchObject([
      { CustomerName: 'Ravi', Email: 'ravi@example.com', City: 'Nashik' },
    ]);
  });

  it.each([
    ['a byte order mark and CRLF', `\ufeff${header}\r\nA,9820012345,,,,\r\n\r\n`],
    ['semicolons', 'City;ContactNumber;CustomerName\nPune;9820012345;A'],
    ['tabs and old line ends', 'CustomerName\tContactNumber\rA\t9820012345\r'],
    ['quotes within quotes', 'CustomerName,ContactNumber\n"A ""quoted"" name",9820012345'],
    ['stray quotes', 'CustomerName,ContactNumber\nA 5" nail,9820012345'],
    ['cells that an export made safe', `CustomerName,ContactNumber\n'=A,'+919820012345`],
  ])('reads %s', async (_, file) => {
    await expect(upload(file)).resolves.toMatchObject({ createdCount: 1, errorCount: 0 });
  });

  it.each([
    ['UTF-16', Buffer.from(`\ufeff${header}\n`, 'utf16le'), 'VALIDATION_FAILED', 'UTF-16'],
    ['UTF-16 without its mark', Buffer.from(`${header}\n`, 'utf16le'), 'VALIDATION_FAILED', 'UTF-16'],
    ['Latin 1', Buffer.from(`${header}\nZo\xeb,9820012345,,,,`, 'latin1'), 'VALIDATION_FAILED', 'UTF-8'],
    ['a missing column', 'CustomerName,Phone\nA,9820012345', 'VALIDATION_FAILED', 'ContactNumber'],
    ['an empty file', '', 'VALIDATION_FAILED', 'empty'],
    ['a file cut off inside a cell', `${header}\nA,9820012345,,,,\n"B`, 'VALIDATION_FAILED', 'quoted cell'],
    ['a row without an end', `${header}\n"${'x'.repeat(20_000)}",1,,,,`, 'VALIDATION_FAILED', 'longer'],
    ['a PDF', '%PDF-1.7\n1 0 obj', 'UNSUPPORTED_MEDIA_TYPE', 'not a CSV'],
    ['a spreadsheet', 'PK\x03\x04xl/workbook.xml', 'UNSUPPORTED_MEDIA_TYPE', 'not a CSV'],
    ['binary data', Buffer.from([0x43, 1, 2, 0, 0, 0, 9, 200, 0]), 'UNSUPPORTED_MEDIA_TYPE', 'not a CSV'],
    ['100,001 rows', csv('ContactNumber', ...Array.from({ length: 100_001 }, () => '1')), 'PAYLOAD_TOO_LARGE', '100000 rows'],
    ['more than 10 MB', Buffer.alloc(10 * 1024 * 1024 + 1, `${header}\n${'9'.repeat(5_000)}\n`), 'PAYLOAD_TOO_LARGE', 'bytes'],
  ])('refuses %s, saves nothing of it and records why', async (_, file, code, words) => {
    const UploadKeyID = randomUUID();
    await expect(upload(file, UploadKeyID)).rejects.toMatchObject(refusal(code, words));
    expect(await contacts()).toEqual([]);
    const remembered = await ask(readContactUpload, { UploadKeyID }, owner);
    expect(remembered).toMatchObject({ status: 'FAILED', createdCount: 0, reason: expect.stringContaining(words) });
  });

  it('accepts two files with the same numbers at once', async () => {
    const forwards = sellersOf(3_000);
    const both = await Promise.all([upload(csv(header, ...forwards)), upload(csv(header, ...forwards.toReversed()))]);
    expect(both.map(({ status }) => status)).toEqual(['DONE', 'DONE']);
    expect(both.reduce((sum, { createdCount }) => sum + createdCount, 0)).toBe(3_000);
    expect(both.reduce((sum, { assignedCount }) => sum + assignedCount, 0)).toBe(3_000);
    const { totalCount } = await ask(listContacts, {}, owner);
    expect(totalCount).toBe(3_000);
  });

  it('leaves room for other organizations, however many files one sends', async () => {
    const theirs = Array.from({ length: 8 }, () => upload(csv(header, ...sellersOf(3_000))));
    const settled = Promise.allSettled(theirs);
    organization = await installation.organization();
    owner = { principal: organization.owner };
    seller = await installation.representative(organization);
    await expect(upload(csv(header, ...sellersOf(1)))).resolves.toMatchObject({ status: 'DONE' });
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ reason: { code: 'RATE_LIMITED', retryAfterSeconds: 5 } });
  });

  it('returns the first result, without repeating it, under the client’s own id', async () => {
    const UploadKeyID = randomUUID();
    const file = csv(header, ...sellersOf(3));
    const first = await upload(file, UploadKeyID);
    await expect(upload(file, UploadKeyID)).resolves.toEqual(first);
    const stranger = { principal: (await installation.organization()).owner };
    await expect(ask(readContactUpload, { UploadKeyID }, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('whose process died says so, and is completed by a repeat', async () => {
    const UploadKeyID = randomUUID();
    const file = csv(header, ...sellersOf(30));
    await upload(csv(header, ...sellersOf(10)), UploadKeyID);
    // What a kill -9 between two batches leaves behind.
    await asAdmin(
      `UPDATE team.contact_uploads SET status = 'PROCESSING', row_count = 30, alive_at = now() WHERE key_id = '${UploadKeyID}'`,
    );
    await expect(upload(file, UploadKeyID)).rejects.toMatchObject({ code: 'CONFLICT' });
    await asAdmin(`UPDATE team.contact_uploads SET alive_at = now() - interval '1 minute' WHERE key_id = '${UploadKeyID}'`);
    const lost = await ask(readContactUpload, { UploadKeyID }, owner);
    expect(lost).toMatchObject({
      status: 'FAILED',
      rowCount: 30,
      createdCount: 10,
      reason: expect.stringContaining('interrupted'),
    });
    await expect(upload(file, UploadKeyID)).resolves.toMatchObject({
      status: 'DONE',
      createdCount: 20,
      unchangedCount: 10,
      assignedCount: 20,
    });
  });

  it('reports the first thousand bad rows and counts them all', async () => {
    const result = await upload(csv(header, ...Array.from({ length: 2_500 }, () => 'A,none,,,,')));
    expect(result).toMatchObject({ rowCount: 2_500, errorCount: 2_500 });
    expect(result.errors).toHaveLength(1_000);
    expect(result.errors.at(-1)?.line).toBe(1_001);
  });

  it('of twenty thousand rows does not block other requests, and neither does their export', async () => {
    // The first use loads the number formats of all countries, which takes long once.
    await upload(csv(header, ...sellersOf(2_000, 8_000_000_000)));
    const spent = await longestTurnMs(async () => {
      expect(await upload(csv(header, ...sellersOf(20_000, 9_000_000_000)))).toMatchObject({ createdCount: 20_000 });
      let letters = 0;
      for await (const { csv: part } of installation.bus.stream(exportContacts, {}, owner)) letters += part.length;
      expect(letters).toBeGreaterThan(20_000 * 30);
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it('is closed to other organizations and former members, and reads no file of another organization', async () => {
    const file = csv(header, ...sellersOf(1));
    const foreign = await installation.representative(await installation.organization());
    await expect(upload(file, undefined, foreign.SalesUserID)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const stolen = { fileKey: `contacts/${organization.OrgID + 1}/x.csv`, fileName: 'x.csv', size: 1, contentType: 'text/csv' };
    await expect(ask(uploadContacts, { SalesUserID: seller.SalesUserID, file: stolen }, owner)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const elsewhere = { ...stolen, fileKey: `contacts/${organization.OrgID}/elsewhere.csv` };
    await expect(ask(uploadContacts, { SalesUserID: seller.SalesUserID, file: elsewhere }, owner)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await ask(removeMember, { memberAdminID: seller.memberAdminID ?? '' }, owner);
    await expect(upload(file)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  async function asAdmin(statement: string): Promise<void> {
    const admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
    await admin.query(statement);
    await admin.end();
  }
});
