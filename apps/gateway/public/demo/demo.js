import { el } from '/assets/elements.js';
import { statusOf } from './conversation.js';
import { languages } from './languages.js';
import { Talk } from './talk.js';
import { Telephone } from './telephone.js';
import { TranscriptView } from './transcript-view.js';

const byId = (id) => document.getElementById(id);
const statuses = {
  resting: 'Press the microphone and speak, or type.',
  connecting: 'Connecting…',
  retrying: 'The connection was lost. Trying again…',
  listening: 'Listening',
  hearing: 'Listening to you…',
  thinking: 'Thinking…',
  speaking: 'Speaking',
};
const units = { TTT_API: 'tokens', TTS_API: 'characters spoken', STT_API: 'seconds heard' };

const transcript = new TranscriptView(byId('transcript'));
let announced = 0;
let talk;

await start();

async function start() {
  restoreTheme();
  byId('language').append(...languages.map(({ value, name, tag }) => el('option', { value, lang: tag }, name)));
  byId('language').addEventListener('change', () => suggest());
  suggest();
  const { widget, phone } = await demoOfPage();
  if (!widget) return notice({ text: 'The demo agent is not ready yet. Reload the page in a moment.', isBad: true });
  offerTelephone(phone);
  talk = new Talk({ widget, show, showLevel: (level) => byId('talk').style.setProperty('--level', level.toFixed(2)) });
  for (const id of ['talk', 'say', 'send']) byId(id).disabled = false;
  byId('talk').addEventListener('click', () => (talk.microphone ? talk.stopListening() : talk.listen(byId('language').value)));
  byId('composer').addEventListener('submit', (event) => send(event));
  byId('interrupt').addEventListener('click', () => talk.interrupt());
  byId('end').addEventListener('click', () => talk.end());
  byId('sound').addEventListener('click', () => toggleSound());
  addEventListener('keydown', ({ key }) => key === 'Escape' && talk.interrupt());
  return show(talk.state);
}

async function demoOfPage() {
  const reply = await fetch('/demo/widget').catch(() => undefined);
  return reply?.ok ? reply.json() : {};
}

/** Beside the conversation: the same agent by telephone, where this installation has a simulated network. */
function offerTelephone(url) {
  byId('by-telephone').hidden = !url;
  if (url) new Telephone({ url, button: byId('call'), state: byId('call-state'), lines: byId('call-lines') });
}

function send(event) {
  event.preventDefault();
  const text = byId('say').value.trim();
  if (!text) return;
  byId('say').value = '';
  void talk.type(text, byId('language').value);
}

function show(state) {
  const status = statusOf(state);
  const isOn = state.line !== 'resting';
  document.body.dataset.status = status;
  byId('status').textContent = status === 'listening' && !state.isMicrophoneOn ? 'Your turn: type, or speak.' : statuses[status];
  byId('talk').setAttribute('aria-pressed', String(state.isMicrophoneOn));
  byId('talk').setAttribute('aria-label', state.isMicrophoneOn ? 'Turn the microphone off' : 'Talk by microphone');
  byId('interrupt').hidden = status !== 'speaking';
  byId('end').hidden = !isOn;
  byId('language').disabled = isOn;
  byId('hello').hidden = state.entries.length > 0;
  byId('used').textContent = usedWords(state.used);
  notice(state.notice);
  transcript.show(state.entries);
  announce(state.entries);
}

function notice(words) {
  const line = byId('notice');
  line.hidden = !words;
  line.classList.toggle('failed', Boolean(words?.isBad));
  if (line.textContent !== (words?.text ?? '')) line.textContent = words?.text ?? '';
}

/** Screen readers announce whole utterances, not each word as it arrives. */
function announce(entries) {
  const last = entries.findLast(({ isOpen, id }) => !isOpen && id > announced);
  if (!last) return;
  announced = last.id;
  byId('announcer').textContent = `${last.who === 'agent' ? 'The agent' : 'You'}: ${last.text}`;
}

function suggest() {
  const { questions, tag } = languages.find(({ value }) => value === byId('language').value);
  const ask = (text) => talk?.type(text, byId('language').value);
  byId('questions').replaceChildren(
    ...questions.map((text) =>
      el('li', {}, el('button.question', { type: 'button', lang: tag, onclick: () => ask(text) }, text)),
    ),
  );
}

function usedWords(used) {
  const parts = Object.entries(used).map(([kind, count]) => `${count} ${units[kind]}`);
  return parts.length > 0 ? `Used so far: ${parts.join(', ')}` : '';
}

function toggleSound() {
  const isMuted = byId('sound').getAttribute('aria-pressed') === 'true';
  byId('sound').setAttribute('aria-pressed', String(!isMuted));
  talk.mute(isMuted);
}

function restoreTheme() {
  const kept = localStorage.getItem('parley-theme');
  if (kept) document.documentElement.dataset.theme = kept;
}
