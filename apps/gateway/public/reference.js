import { codeBlock, el, methodBadge, pretty, prose } from './elements.js';
import { operationView } from './operation-view.js';
import { socketView } from './socket-view.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const byId = (id) => document.getElementById(id);

keepTheme();
keepKey();
start().catch((error) =>
  byId('content').replaceChildren(el('p.failed', {}, `The API description could not be read: ${error.message}`)),
);

async function start() {
  const [api, sockets] = await Promise.all([read('/openapi.json'), read('/asyncapi.json')]);
  const entries = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ method, path, operation: item[method] })),
  );
  const links = drawChapters(api, entries);
  const open = () => openEntry({ api, sockets }, entries, links);
  addEventListener('hashchange', open);
  keepSearch(links);
  open();
}

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

/** Sockets are opened by a GET, but what matters is their messages. */
function isSocket(sockets, { operation }) {
  return Object.hasOwn(sockets.channels, operation.operationId);
}

function viewOf({ api, sockets }, entry) {
  return isSocket(sockets, entry) ? socketView(sockets, entry) : operationView(api, entry);
}

function drawChapters(api, entries) {
  const links = [];
  const chapters = (api.tags ?? []).map(({ name }) => {
    const items = entries
      .filter(({ operation }) => operation.tags[0] === name)
      .map((entry) => {
        const link = el(
          'a',
          { href: `#${entry.operation.operationId}` },
          methodBadge(entry.method),
          el('span', {}, entry.operation.summary),
        );
        const item = el('li', {}, link);
        links.push({ entry, link, item, text: searchText(entry) });
        return item;
      });
    return el('section', {}, el('h2', {}, name), el('ul', {}, items));
  });
  byId('chapter-list').replaceChildren(...chapters);
  return links;
}

function searchText({ method, path, operation }) {
  return `${method} ${path} ${operation.summary} ${operation.operationId} ${operation.tags[0]}`.toLowerCase();
}

function openEntry(documents, entries, links) {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const entry = entries.find(({ operation }) => operation.operationId === wanted);
  for (const { link, entry: listed } of links) {
    if (listed === entry) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = entry ? `${entry.operation.summary} · Parley API` : 'Parley API reference';
  const content = byId('content');
  content.replaceChildren(entry ? viewOf(documents, entry) : overview(documents.api, entries));
  showMenu(false);
  if (!entry) return;
  scrollTo(0, 0);
  content.focus({ preventScroll: true });
  links.find(({ entry: listed }) => listed === entry)?.link.scrollIntoView({ block: 'nearest' });
}

function overview(api, entries) {
  const chapters = (api.tags ?? []).map(({ name, description }) => {
    const here = entries.filter(({ operation }) => operation.tags[0] === name);
    const first = here[0]?.operation.operationId ?? '';
    return el(
      'li',
      {},
      el('a', { href: `#${first}` }, el('strong', {}, name), el('span', {}, description || `${here.length} endpoints`)),
    );
  });
  const failure = Object.values(api.components.examples)[0]?.value;
  return el(
    'article.overview',
    {},
    el('h1', {}, `${api.info.title} API`),
    el('p.lead', {}, api.info.summary ?? ''),
    prose(api.info.description),
    el('ul.doors', {}, chapters),
    el('h2', {}, 'When something is wrong'),
    prose('Every error has this shape. `code` is stable and safe to branch on; `message` is for people.'),
    failure ? codeBlock('Error', pretty(failure)) : undefined,
  );
}

function keepSearch(links) {
  const search = byId('search');
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { item, text } of links) item.hidden = !words.every((word) => text.includes(word));
    for (const section of byId('chapter-list').children) section.hidden = !section.querySelector('li:not([hidden])');
    const count = links.filter(({ item }) => !item.hidden).length;
    byId('found').textContent = words.length > 0 ? `${count} endpoints found` : '';
  });
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') links.find(({ item }) => !item.hidden)?.link.click();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest?.('input, textarea')) return;
    event.preventDefault();
    search.focus();
  });
}

function keepKey() {
  const input = byId('key');
  input.value = sessionStorage.getItem('parley-key') ?? '';
  input.addEventListener('input', () => sessionStorage.setItem('parley-key', input.value.trim()));
}

function keepTheme() {
  const root = document.documentElement;
  const kept = localStorage.getItem('parley-theme');
  if (kept) root.dataset.theme = kept;
  byId('theme').addEventListener('click', () => {
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    localStorage.setItem('parley-theme', root.dataset.theme);
  });
  byId('menu').addEventListener('click', () => showMenu(byId('menu').getAttribute('aria-expanded') !== 'true'));
}

function showMenu(isOpen) {
  byId('menu').setAttribute('aria-expanded', String(isOpen));
  document.body.classList.toggle('menu-open', isOpen);
}
