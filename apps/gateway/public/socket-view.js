import { codeBlock, el, inline, methodBadge, pretty, prose } from './elements.js';
import { resolve, schemaView } from './schemas.js';

/** The view of one socket: the frames of both sides on the left, examples on the right. */
export function socketView(document, { path, operation }) {
  const { operationId, summary, tags } = operation;
  const channel = document.channels[operationId];
  const said = (action) => framesOf(document, `${operationId}.${action}`);
  return el(
    'article.operation',
    { 'aria-labelledby': 'operation-title' },
    el(
      'div.facts',
      {},
      el('p.chapter', {}, tags[0]),
      el('h1', { id: 'operation-title' }, summary),
      el('p.address', {}, methodBadge('ws'), el('code', {}, path)),
      el('div.description', {}, prose(`${channel.description}\n\n${document.info.description}`)),
      entryView(document, document.operations[`${operationId}.receive`]),
      framesView(document, 'You may say', said('receive')),
      framesView(document, 'The server may say', said('send')),
      tableView('Warnings', 'Code', document['x-warnings']),
      tableView('Close codes', 'Code', document['x-close-codes']),
    ),
    el('div.practice', {}, connecting(path), ...[...said('receive'), ...said('send')].flatMap(exampleBlocks)),
  );
}

function framesOf(document, name) {
  return document.operations[name].messages.map((reference) => resolve(document, resolve(document, reference)));
}

function section(title, ...content) {
  return el('section', {}, el('h2', {}, title), ...content);
}

function entryView(document, { security }) {
  const ways = security.map((reference) => resolve(document, reference));
  const rows = ways.map(({ name, in: place, description }) => {
    const head = el('div.field', {}, el('code.name', {}, name), el('span.type', {}, place));
    return el('li', {}, head, el('div.note', {}, el('span', {}, inline(description))));
  });
  return section('Enter with one of', el('ul.fields', {}, rows));
}

function framesView(document, title, frames) {
  const items = frames.map(({ name, summary, description, payload, contentType }) => {
    const isText = contentType === 'application/json';
    const note = el(
      'div.note',
      {},
      [summary, description].filter(Boolean).map((text) => el('span', {}, inline(text))),
    );
    const head = el('summary.field', {}, el('code.name', {}, name), el('span.type', {}, isText ? 'text frame' : 'binary frame'));
    return el('li', {}, el('details', {}, head, note, isText ? schemaView(document, payload) : undefined));
  });
  return section(title, el('ul.fields', {}, items));
}

function tableView(title, column, rows) {
  const lines = rows.map(({ code, meaning }) =>
    el('tr', {}, el('td', {}, el('code', {}, String(code))), el('td', {}, inline(meaning))),
  );
  const heads = [column, 'Meaning'].map((text) => el('th', { scope: 'col' }, text));
  const table = el('table', {}, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, lines));
  return section(title, el('div.scroll', { tabindex: 0, role: 'region', 'aria-label': title }, table));
}

function connecting(path) {
  const credential = path === '/ws/widgetchat' ? 'widget=wdg_…' : 'token=sst_…';
  const lines = [
    `const socket = new WebSocket('${location.origin.replace(/^http/, 'ws')}${path}?${credential}');`,
    "socket.binaryType = 'arraybuffer';",
    "socket.onopen = () => socket.send(JSON.stringify({ type: 'session.start', sampleRate: 16000 }));",
    "socket.onmessage = ({ data }) => (typeof data === 'string' ? show(JSON.parse(data)) : play(data));",
    'socket.onclose = ({ code, reason }) => console.log(code, reason);',
  ];
  return codeBlock('In a browser', lines.join('\n'));
}

function exampleBlocks({ name, examples = [] }) {
  return examples.slice(0, 1).map(({ payload }) => codeBlock(name, pretty(payload)));
}
