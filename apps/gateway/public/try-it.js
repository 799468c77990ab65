import { codeBlock, el, pretty } from './elements.js';
import { resolve } from './schemas.js';

const shownCharactersMax = 200_000;

/** A form that makes the call, beside the equivalent curl command. */
export function tryIt(document, { method, path, operation }) {
  const parameters = (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const bodies = bodiesOf(document, operation);
  // Where any one of several parameters is enough, the form asks for the first.
  const [asked = []] = operation['x-any-required'] ?? [];
  const fields = parameters.map((parameter) => parameterField(parameter, asked.includes(parameter.name)));
  const editor = bodies.length > 1 ? bodyChoice(document, bodies) : bodies[0] && bodyEditor(document, bodies[0]);
  const request = () => ({ method: method.toUpperCase(), url: filledUrl(path, fields), body: editor?.value() });
  const curl = codeBlock('curl', () => curlOf(request(), operation));
  const answer = el('div.answer', { 'aria-live': 'polite' });
  const send = el('button.send', { type: 'submit' }, 'Send');
  const form = el(
    'form.try',
    {
      'aria-label': 'Try it',
      oninput: () => curl.update(),
      onsubmit: (event) => submit(event, { request, answer, send, operation }),
    },
    el('h2', {}, 'Try it'),
    fields.map(({ row }) => row),
    editor?.row,
    send,
  );
  return el('div', {}, curl, form, answer);
}

function bodiesOf(document, { requestBody }) {
  const { content = {} } = requestBody ? resolve(document, requestBody) : {};
  return Object.entries(content).map(([type, media]) => ({ type, media }));
}

/** Where a body may have several types, such as a form that takes a file, the form asks for which. */
function bodyChoice(document, bodies) {
  const editors = bodies.map((body) => bodyEditor(document, body));
  let chosen = editors[0];
  const place = el('div', {}, chosen.row);
  const options = bodies.map(({ type }) => el('option', {}, type));
  const select = el('select', {}, options);
  select.addEventListener('input', () => {
    chosen = editors[select.selectedIndex];
    place.replaceChildren(chosen.row);
  });
  const row = el('div', {}, el('label.line', {}, el('span', {}, 'Content type'), select), place);
  return { row, value: () => chosen.value() };
}

function parameterField({ name, in: place, required, example, schema }, isAsked) {
  const input = el('input', {
    type: 'text',
    required,
    // Optional fields stay empty: an example id does not exist here.
    value: required || isAsked ? (example ?? '') : '',
    placeholder: String(example ?? schema?.type ?? ''),
    spellcheck: 'false',
    autocomplete: 'off',
  });
  return {
    name,
    place,
    input,
    row: el('label.line', {}, el('span', {}, name, required ? el('abbr', { title: 'required' }, '*') : ''), input),
  };
}

function bodyEditor(document, { type, media }) {
  const [example] = Object.values(media.examples ?? {});
  const sample = example ? resolve(document, example).value : {};
  if (type === 'multipart/form-data') return formEditor(document, media, sample);
  const text = el('textarea', { rows: Math.min(16, pretty(sample).split('\n').length + 1), spellcheck: 'false' });
  text.value = pretty(sample);
  return { row: el('label.line', {}, el('span', {}, 'Body'), text), value: () => ({ type, text: text.value }) };
}

function formEditor(document, media, sample) {
  // Where any one of several fields is enough, the form asks for the first.
  const { properties = {}, required: always = [], 'x-any-required': any = [] } = resolve(document, media.schema);
  const required = [...always, ...(any[0] ?? [])];
  const parts = Object.entries(properties).map(([name, schema]) => {
    const isFile = resolve(document, schema).format === 'binary';
    const isRequired = required.includes(name);
    const known = String(sample[name] ?? '');
    const text = { type: 'text', value: isRequired ? known : '', placeholder: known, required: isRequired && known !== '' };
    const input = isFile ? el('input', { type: 'file', required: isRequired }) : el('input', text);
    const mark = isRequired ? el('abbr', { title: 'required' }, '*') : '';
    return { name, isFile, isRequired, input, row: el('label.line', {}, el('span', {}, name, mark), input) };
  });
  return {
    row: el(
      'div',
      {},
      parts.map(({ row }) => row),
    ),
    value: () => ({ type: 'multipart/form-data', parts }),
  };
}

function filledUrl(path, fields) {
  const filled = fields
    .filter(({ place }) => place === 'path')
    .reduce((url, { name, input }) => url.replace(`{${name}}`, encodeURIComponent(input.value || `{${name}}`)), path);
  const query = fields.filter(({ place, input }) => place === 'query' && input.value !== '');
  const text = new URLSearchParams(query.map(({ name, input }) => [name, input.value])).toString();
  return text ? `${filled}?${text}` : filled;
}

function curlOf({ method, url, body }, operation) {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(location.origin + url)}`];
  if (operation.security?.length !== 0) lines.push('-H "x-api-key: $PARLEY_API_KEY"');
  if (body?.text !== undefined) lines.push(`-H ${quoted(`content-type: ${body.type}`)}`, `-d ${quoted(compact(body.text))}`);
  for (const { name, isFile, input } of sentParts(body)) {
    lines.push(`-F ${quoted(`${name}=${isFile ? `@${input.files[0]?.name ?? 'file'}` : input.value}`)}`);
  }
  return lines.join(' \\\n  ');
}

/** The form fields to send: required ones, and those that were filled in. */
function sentParts(body) {
  return (body?.parts ?? []).filter(
    ({ isFile, isRequired, input }) => isRequired || (isFile ? input.files[0] : input.value !== ''),
  );
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

async function submit(event, { request, answer, send, operation }) {
  event.preventDefault();
  send.disabled = true;
  const startedAt = performance.now();
  try {
    const { method, url, body } = request();
    const response = await fetch(url, { method, ...contentOf(body, operation) });
    await show(answer, response, performance.now() - startedAt);
  } catch (error) {
    answer.replaceChildren(el('p.failed', {}, `The request could not be sent: ${error.message}`));
  } finally {
    send.disabled = false;
  }
}

function contentOf(body, operation) {
  const key = sessionStorage.getItem('parley-key');
  const headers = key && operation.security?.length !== 0 ? { 'x-api-key': key } : {};
  if (body?.text !== undefined) return { headers: { ...headers, 'content-type': body.type }, body: body.text };
  if (!body) return { headers };
  const form = new FormData();
  for (const { name, isFile, input } of sentParts(body)) {
    if (!isFile) form.append(name, input.value);
    else if (input.files[0]) form.append(name, input.files[0]);
  }
  return { headers, body: form };
}

async function show(answer, response, tookMs) {
  const type = response.headers.get('content-type') ?? '';
  const line = el(
    `p.status.${response.ok ? 'fine' : 'failed'}`,
    {},
    `${response.status} ${response.statusText}`,
    el('span', {}, ` · ${Math.round(tookMs)} ms · ${response.headers.get('x-request-id') ?? ''}`),
  );
  answer.replaceChildren(line);
  if (type.startsWith('audio/')) {
    answer.append(el('audio', { controls: true, src: URL.createObjectURL(await response.blob()) }));
  } else if (type.startsWith('text/event-stream')) {
    await follow(answer, response);
  } else {
    answer.append(codeBlock('Answer', shown(await response.text())));
  }
}

async function follow(answer, response) {
  let text = '';
  const block = codeBlock('Events', () => text);
  answer.append(block);
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text = (text + chunk).slice(-shownCharactersMax);
    block.update();
  }
}

function shown(text) {
  const cut = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
  try {
    return pretty(JSON.parse(cut));
  } catch {
    return cut;
  }
}
