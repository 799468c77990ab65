import { examplesOf, listAudit } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { publicRoutes } from '../../api/routes/route-table';
import { changesSomething } from '../../endpoint/gateway-call';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import type { Endpoint } from '../../endpoint/endpoint';

const takesForms = (endpoint: Endpoint) =>
  'accepts' in endpoint ? endpoint.accepts.includes('multipart/form-data') : endpoint.input === 'form';
const forms = [...publicRoutes.rows, ...publicRoutes.handWritten].filter((each) => takesForms(each) && changesSomething(each));

/** The first example of an endpoint's input. */
const exampleOf = ({ contract }: Endpoint) => ('request' in contract ? recordOf(examplesOf(contract.request)[0]) : {});
const isFile = (value: unknown) => typeof value === 'object' && value !== null && 'fileKey' in value;

/** A form as a client sends it: each file as a part of its own, each structure as JSON. */
function formOf(endpoint: Endpoint, content = 'Mobile\n9820012345\n'): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(exampleOf(endpoint))) {
    if (isFile(value)) form.append(name, new Blob([content], { type: 'text/csv' }), 'of-the-client.csv');
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return form;
}

describe('the audit log of forms', () => {
  let by: GatewayOnBroker;

  beforeAll(async () => {
    by = await GatewayOnBroker.open();
  });
  afterAll(() => by.close());

  const send = async (endpoint: Endpoint, body: FormData) => {
    const mine = by.harness.organization();
    const { key } = await by.harness.key(mine, 'wsk');
    const init = { method: 'POST', body, headers: { 'x-api-key': key } };
    const { status } = await fetch(by.url + endpoint.path, init);
    const { rows } = await by.harness.bus.ask(listAudit, { action: endpoint.contract.subject }, { principal: mine.owner });
    return { status, lines: rows };
  };

  it('knows of every endpoint that takes one', () => {
    expect(forms.map(({ operationId }) => operationId).toSorted()).toEqual([
      'importSpreadsheet',
      'resetImei',
      'saveDocument',
      'uploadCampaignContacts',
      'uploadContacts',
    ]);
  });

  // No service answers: what the client asked for must be in the log whatever becomes of it.
  it.each(forms.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    '%s: names the record and has every field of the form',
    async (_name, endpoint) => {
      const { lines } = await send(endpoint, formOf(endpoint));
      expect(lines).toHaveLength(1);
      const [line] = lines;
      const sent = exampleOf(endpoint);
      const expected = Object.entries(sent).map(([name, value]) => [
        name,
        isFile(value) ? expect.objectContaining({ fileName: 'of-the-client.csv', size: 18 }) : expect.anything(),
      ]);
      expect(line?.after).toMatchObject({ request: Object.fromEntries(expected) });
      const ids = Object.entries(sent).filter(([name, value]) => /I[dD]$/.test(name) && value !== '');
      expect(ids.map(([name, value]) => `${name} ${String(value)}`)).toContain(line?.subject);
    },
  );

  it.each(forms.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    '%s: has no line for a form that was refused as it was read',
    async (_name, endpoint) => {
      const form = new FormData();
      form.append('unexpected', new Blob(['x']), 'x.csv');
      expect(await send(endpoint, form)).toEqual({ status: 400, lines: [] });
    },
  );
});
