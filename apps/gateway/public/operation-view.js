import { codeBlock, el, inline, methodBadge, pretty, prose } from './elements.js';
import { resolve, schemaView } from './schemas.js';
import { tryIt } from './try-it.js';

/** Everything about one operation: prose on the left, examples to copy and try on the right. */
export function operationView(document, entry) {
  const { method, path, operation } = entry;
  const attempt = tryIt(document, entry);
  return el(
    'article.operation',
    { 'aria-labelledby': 'operation-title' },
    el(
      'div.facts',
      {},
      el('p.chapter', {}, operation.tags[0]),
      el('h1', { id: 'operation-title' }, operation.summary),
      el('p.address', {}, methodBadge(method), el('code', {}, path)),
      el('div.description', {}, prose(operation.description)),
      parametersView(document, operation),
      bodyView(document, operation),
      successView(document, operation),
      errorsView(document, operation),
    ),
    el('div.practice', {}, attempt, ...answerExamples(document, operation)),
  );
}

function section(title, ...content) {
  return el('section', {}, el('h2', {}, title), ...content);
}

function parametersView(document, { parameters = [] }) {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((parameter) => resolve(document, parameter));
  const groups = Object.entries({ path: 'In the path', query: 'In the query', header: 'Headers' });
  return groups.map(([place, title]) => {
    const here = rows.filter((row) => row.in === place);
    if (here.length === 0) return undefined;
    const properties = Object.fromEntries(
      here.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    );
    const required = here.filter((row) => row.required).map((row) => row.name);
    return section(title, schemaView(document, { properties, required }));
  });
}

function bodyView(document, { requestBody }) {
  if (!requestBody) return undefined;
  return mediaSections(document, 'Body', resolve(document, requestBody).content);
}

function successView(document, { responses }) {
  const [status = '200'] = Object.keys(responses).filter((code) => Number(code) < 400);
  return mediaSections(document, `Answer ${status}`, resolve(document, responses[status]).content ?? {});
}

function mediaSections(document, title, content) {
  return Object.entries(content).map(([type, media]) => {
    const shape = media.schema && resolve(document, media.schema);
    const note = shape?.description ? prose(shape.description) : [];
    const fields = media.schema ? schemaView(document, media.schema) : el('p.type', {}, 'bytes');
    return section(title, el('p.media', {}, el('code', {}, type)), ...note, fields);
  });
}

function errorsView(document, { responses }) {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => codesOf(document, response).map(({ code, message }) => ({ status, code, message })));
  const lines = rows.map(({ status, code, message }) =>
    el('tr', {}, el('td', {}, status), el('td', {}, el('code', {}, code)), el('td', {}, inline(message))),
  );
  const head = el(
    'thead',
    {},
    el(
      'tr',
      {},
      ['Status', 'Code', 'Meaning'].map((title) => el('th', { scope: 'col' }, title)),
    ),
  );
  return section(
    'Errors',
    el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': 'Error codes' }, el('table', {}, head, el('tbody', {}, lines))),
  );
}

function codesOf(document, response) {
  const { examples = {} } = resolve(document, response).content?.['application/json'] ?? {};
  return Object.entries(examples).map(([code, example]) => ({ code, message: resolve(document, example).value.message }));
}

function answerExamples(document, { responses }) {
  const [status = '200'] = Object.keys(responses).filter((code) => Number(code) < 400);
  const media = Object.values(resolve(document, responses[status]).content ?? {});
  const examples = media.flatMap(({ examples: shown = {} }) =>
    Object.values(shown).map((example) => resolve(document, example).value),
  );
  return examples.slice(0, 3).map((example) => codeBlock(`${status} · example`, pretty(example)));
}
