import { endingWords, faultWords } from './plain-words.js';

const entriesMax = 400;

/** The page before anything has been said. `line` is one of resting, connecting, open, retrying. */
export const initialState = Object.freeze({
  line: 'resting',
  caller: 'quiet',
  isSounding: false,
  isMicrophoneOn: false,
  entries: [],
  nextId: 1,
  notice: undefined,
  used: {},
});

/** The page's state after an event: a frame from the server, or something that happened on the page itself. */
export function after(state, event) {
  const next = changes[event.type]?.(state, event);
  return next ? { ...state, ...next } : state;
}

/** The state in one word: resting, connecting, retrying, listening, hearing, thinking or speaking. */
export function statusOf({ line, caller, isSounding, entries }) {
  if (line !== 'open') return line;
  if (caller === 'speaking') return 'hearing';
  if (isSounding || entries.some(({ who, isOpen }) => who === 'agent' && isOpen)) return 'speaking';
  return caller === 'waiting' ? 'thinking' : 'listening';
}

/** Splits an answer into what was heard and what was never played. */
export function heardAndUnheard({ text, heard }) {
  if (heard === undefined) return [text, ''];
  const isBeginning = text.startsWith(heard);
  return [heard, isBeginning ? text.slice(heard.length) : ''];
}

const changes = {
  'session.ready': ({ entries }) => ({ line: 'open', notice: undefined, entries: entries.map(closed) }),
  'speech.started': () => ({ caller: 'speaking' }),
  'speech.ended': ({ caller }) => (caller === 'speaking' ? { caller: 'quiet' } : undefined),
  'transcript.partial': (state, { text }) => heard(state, { text, isOpen: true }),
  'transcript.final': (state, { text }) => ({
    ...heard(state, { text, isOpen: false }),
    caller: text ? 'waiting' : 'quiet',
    notice: undefined,
  }),
  'agent.delta': (state, { text }) => answered(state, (entry) => ({ text: entry.text + text })),
  'agent.audio.start': (state, { turnUUID }) => ({ ...answered(state, () => ({ turnUUID })), isSounding: true }),
  'agent.done': done,
  'agent.interrupted': interrupted,
  usage: ({ used }, { usage }) => ({ used: usage.reduce(added, used) }),
  warning: (_state, { message }) => ({ notice: { text: message } }),
  error: (_state, fault) => ({ notice: { text: faultWords(fault), isBad: true }, caller: 'quiet' }),
  // An earlier error says more than the fact that the session ended.
  'session.ended': ({ notice }, { reason }) => ({ notice: notice?.isBad ? notice : { text: endingWords(reason) } }),
  'page.opened': ({ entries }) => ({ line: 'connecting', notice: undefined, entries: entries.map(closed) }),
  'page.microphone': (_state, { isOn }) => ({ isMicrophoneOn: isOn }),
  'page.typed': (state, { text }) => ({ ...heard(state, { text, isOpen: false }), caller: 'waiting', notice: undefined }),
  'page.played': () => ({ isSounding: false }),
  'page.retrying': ({ entries }) => ({ line: 'retrying', caller: 'quiet', isSounding: false, entries: entries.map(closed) }),
  'page.closed': ({ entries, notice }, event) => ({
    line: 'resting',
    caller: 'quiet',
    isSounding: false,
    entries: entries.map(closed),
    // The server's reason in words says more than the close code that follows it.
    notice: notice ?? (event.text ? { text: event.text, isBad: event.isBad } : undefined),
  }),
  'page.notice': (_state, { text, isBad }) => ({ notice: { text, isBad } }),
};

/** The caller's words: one entry that grows until it is final, and is removed if nothing was heard. */
function heard(state, said) {
  const growing = state.entries.findLast(({ who, isOpen }) => who === 'caller' && isOpen);
  if (!said.text) return { entries: state.entries.filter((entry) => entry !== growing) };
  if (growing) return changed(state, growing, () => said);
  return appended(state, { who: 'caller', ...said });
}

function answered(state, change) {
  const growing = state.entries.findLast(({ who, isOpen }) => who === 'agent' && isOpen);
  if (growing) return { ...changed(state, growing, change), caller: 'quiet' };
  const begun = { who: 'agent', text: '', isOpen: true };
  return { ...appended(state, { ...begun, ...change(begun) }), caller: 'quiet' };
}

/** An interrupted answer keeps the words spoken so far. */
function done(state, { turnUUID, text, latency }) {
  const mine = state.entries.findLast((entry) => entry.who === 'agent' && (entry.isOpen || entry.turnUUID === turnUUID));
  const facts = (entry) => ({ turnUUID, latency, isOpen: false, text: entry.heard === undefined && text ? text : entry.text });
  const caller = state.caller === 'waiting' ? 'quiet' : state.caller;
  if (mine) return { ...changed(state, mine, facts), caller };
  return { ...appended(state, { who: 'agent', ...facts({ text: '' }) }), caller };
}

function interrupted(state, { heardText }) {
  const last = state.entries.findLast(({ who }) => who === 'agent');
  return { ...(last && changed(state, last, () => ({ heard: heardText, isOpen: false }))), isSounding: false };
}

function changed({ entries }, chosen, change) {
  return { entries: entries.map((entry) => (entry === chosen ? { ...entry, ...change(entry) } : entry)) };
}

function appended({ entries, nextId }, entry) {
  return { entries: [...entries, { id: nextId, ...entry }].slice(-entriesMax), nextId: nextId + 1 };
}

function closed(entry) {
  return entry.isOpen ? { ...entry, isOpen: false } : entry;
}

function added(used, { kind, units }) {
  return { ...used, [kind]: (used[kind] ?? 0) + units };
}
