import { el } from '/assets/elements.js';
import { heardAndUnheard } from './conversation.js';
import { latencyParts, readable } from './latency.js';

/** Shows entries as they grow. Unchanged elements are not touched, so selections and opened details survive. */
export class TranscriptView {
  constructor(list) {
    this.list = list;
    this.shown = new Map();
  }

  show(entries) {
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
    for (const [id, { item }] of this.shown) {
      if (entries.some((entry) => entry.id === id)) continue;
      item.remove();
      this.shown.delete(id);
    }
    for (const entry of entries) this.showOne(entry);
    // Not for the greeting: a newly opened page is shown from its top.
    if (isAtEnd && entries.some(({ who }) => who !== 'agent')) scrollTo({ top: document.documentElement.scrollHeight });
  }

  showOne(entry) {
    const known = this.shown.get(entry.id);
    if (known?.entry === entry) return;
    const item = known?.item ?? this.list.appendChild(el(`li.entry.${entry.who}`));
    item.classList.toggle('growing', Boolean(entry.isOpen));
    const isTimed = known && known.entry.latency === entry.latency && known.entry.heard === entry.heard;
    if (isTimed) item.querySelector('.said').replaceChildren(...said(entry));
    else
      item.replaceChildren(
        speaker(entry),
        el('p.said', { dir: 'auto' }, said(entry)),
        interruption(entry) ?? '',
        timing(entry) ?? '',
      );
    this.shown.set(entry.id, { entry, item });
  }
}

function speaker({ who }) {
  return el('span.visually-hidden', {}, who === 'agent' ? 'The agent:' : 'You:');
}

function said(entry) {
  const [heard, unheard] = heardAndUnheard(entry);
  return [heard, unheard && el('del.unheard', {}, unheard)].filter(Boolean);
}

function interruption({ who, heard, text }) {
  if (who !== 'agent' || heard === undefined) return undefined;
  return el(
    'p.aside.interruption',
    {},
    heard || !text ? 'Interrupted: you heard up to here.' : 'Interrupted before a word was heard.',
  );
}

/** How long the answer took to begin, split into its parts. */
function timing({ latency }) {
  const parts = latencyParts(latency);
  // A greeting answers nothing, so there was no delay.
  if (parts.length === 0) return undefined;
  const bar = el('span.bar-of-parts', { 'aria-hidden': 'true' }, parts.map(segment));
  const rows = parts.map((part) =>
    el('div', {}, el('dt', {}, el(`i.swatch.${part.name}`), part.title), el('dd', {}, readable(part.ms))),
  );
  return el('details.timing', {}, el('summary', {}, `Answered in ${readable(latency.totalMs)}`, bar), el('dl', {}, rows));
}

function segment({ name, share }) {
  const part = el(`i.${name}`);
  part.style.flexGrow = String(share);
  return part;
}
