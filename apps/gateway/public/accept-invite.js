import { codeBlock, el } from './elements.js';

const byId = (id) => document.getElementById(id);

byId('token').value = new URLSearchParams(location.search).get('token') ?? '';
// The address holds the invitation token, which must not stay in the browser's history.
history.replaceState(null, '', location.pathname);

byId('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = byId('answer');
  try {
    const response = await fetch('/api/v1/external/team-management/invite/accept', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: byId('token').value.trim() }),
    });
    const body = await response.json();
    if (!response.ok) return answer.replaceChildren(el('p.failed', {}, body.message));
    byId('form').remove();
    answer.replaceChildren(
      el('p.fine', {}, 'You are in. Keep this key safe: nobody can show it to you again.'),
      codeBlock('Your API key', () => body.data.key),
      el('p', {}, el('a', { href: '/docs' }, 'Try it in the API reference')),
    );
  } catch (error) {
    answer.replaceChildren(el('p.failed', {}, `The invitation could not be sent: ${error.message}`));
  }
});
